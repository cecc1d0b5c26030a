/**
 * Session storage of Claude Code: copies sessions between the host's store and a sandbox's home.
 *
 * sandbox `<projects>/<cwd>/<id>.jsonl` and `<id>/subagents/*` ⇄ host, with `cwd` fields rewritten
 */
import { readHostSession } from '../sessions/read-host-session.ts';
import { readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { AgentSessionStorage, SessionLocation } from '../../ports/agent-provider.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import {
  claudeHostProjectsDir,
  claudeHostSessionPath,
  encodeProjectPath,
  findClaudeSessionOnHost,
} from './claude-session-path.ts';
import { newestFile } from '../sessions/host-sessions.ts';
import {
  copyLinesOut,
  sandboxFiles,
  listInSandbox,
  writeInSandbox,
  type SandboxFiles,
} from '../sessions/sandbox-files.ts';
import { assertSessionId } from '../sessions/session-id.ts';
import {
  findSessionCwd,
  mapFields,
  rewriteSession,
  rewriteSessionLine,
  type LineRewriter,
} from '../sessions/session-lines.ts';

/** Session folders of Claude Code, if they differ from the CLI's defaults. */
export interface ClaudeSessionStorageOptions {
  /** @default `~/.claude/projects` on the host, or under its `CLAUDE_CONFIG_DIR` */
  readonly hostProjectsDir?: string;
  /** @default `~/.claude/projects` in the sandbox, or under its `CLAUDE_CONFIG_DIR` */
  readonly sandboxProjectsDir?: string;
}

/** Maximum number of sub-agents that are captured with a session. The rest is skipped. */
const MAX_SUBAGENT_FILES = 1_000;

/**
 * Rewrites a Claude Code session for another directory. In `cwd` fields, `fromCwd` and paths below
 * it are mapped to `toCwd`. Everything else is unchanged.
 *
 * @param jsonl - contents of the session file, one JSON object per line
 *
 * @example
 * ```ts
 * const moved = transferClaudeSession(text, '/home/agent/work', '/home/me/repository');
 * ```
 */
export function transferClaudeSession(jsonl: string, fromCwd: string, toCwd: string): string {
  return rewriteSession(jsonl, fromCwd, toCwd, rewriteClaudeLine);
}

const rewriteClaudeLine: LineRewriter = (value, map) => mapFields(value, ['cwd'], map);

/** Creates the storage of one provider. `env` is the provider's environment. */
export function createClaudeSessionStorage(
  options: ClaudeSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): AgentSessionStorage {
  const hostRoot = (): string => options.hostProjectsDir ?? claudeHostProjectsDir();
  return {
    captureToHost: (location) => capture(location, hostRoot(), sandboxOf(location.handle, options, env)),
    resumeIntoSandbox: (location) => resume(location, hostRoot(), sandboxOf(location.handle, options, env)),
    findByIdOnHost: async (sessionId) => (await findClaudeSessionOnHost(sessionId, hostRoot())).path,
  };
}

function sandboxOf(
  handle: SandboxHandle,
  { sandboxProjectsDir }: ClaudeSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): SandboxFiles {
  const root =
    sandboxProjectsDir === undefined
      ? '"${CLAUDE_CONFIG_DIR:-$HOME/.claude}/projects"'
      : quoteArgument(sandboxProjectsDir);
  return sandboxFiles(handle, root, env, ['CLAUDE_CONFIG_DIR']);
}

async function capture(location: SessionLocation, hostRoot: string, sandbox: SandboxFiles): Promise<string> {
  const id = assertSessionId(location.sessionId);
  const [source] = await listInSandbox(sandbox, `ls -td -- "$root"/*/${id}.jsonl 2>/dev/null`);
  if (source === undefined) {
    throw new SandboxError(
      `The agent's session \`${id}\` was not found in the sandbox, so it cannot be resumed.`,
      {
        code: 'copy',
        sessionId: id,
      },
    );
  }
  const target = claudeHostSessionPath(await resolvePath(location.hostCwd), id, hostRoot);
  const rewrite = (line: string): string =>
    rewriteSessionLine(line, location.sandboxCwd, location.hostCwd, rewriteClaudeLine);
  await copyLinesOut(sandbox, source, target, rewrite);
  await captureSubagents(
    sandbox,
    source.slice(0, -'.jsonl'.length),
    target.slice(0, -'.jsonl'.length),
    rewrite,
  );
  return target;
}

/** The session can be resumed without its sub-agents, so failures here are ignored. */
async function captureSubagents(
  sandbox: SandboxFiles,
  sourceDir: string,
  targetDir: string,
  rewrite: (line: string) => string,
): Promise<void> {
  const found = await listInSandbox(
    sandbox,
    `find ${quoteArgument(sourceDir)}/subagents -type f 2>/dev/null`,
  ).catch(() => []);
  for (const path of found.slice(0, MAX_SUBAGENT_FILES)) {
    const below = path.startsWith(`${sourceDir}/`) ? path.slice(sourceDir.length + 1) : '';
    // The list comes from the sandbox. Only plain names are allowed in paths on the host.
    if (!/^subagents(?:\/\w[\w.-]*)+$/.test(below)) continue;
    await copyLinesOut(sandbox, path, join(targetDir, below), rewrite).catch(() => undefined);
  }
}

async function resume(location: SessionLocation, hostRoot: string, sandbox: SandboxFiles): Promise<void> {
  const id = assertSessionId(location.sessionId);
  const source = await locateOnHost(location, id, hostRoot);
  const jsonl = await readHostSession(source);
  const fromCwd = findSessionCwd(jsonl, (value) => value['cwd']) ?? location.hostCwd;
  const write = (path: string, content: string): Promise<void> =>
    writeInSandbox(
      sandbox,
      `"$root"/${encodeProjectPath(location.sandboxCwd)}/${path}`,
      transferClaudeSession(content, fromCwd, location.sandboxCwd),
    );
  await write(`${id}.jsonl`, jsonl);
  for (const path of await subagentFiles(join(dirname(source), id))) {
    await write(`${id}/${path}`, await readHostSession(join(dirname(source), id, path)));
  }
}

async function locateOnHost(location: SessionLocation, id: string, hostRoot: string): Promise<string> {
  const expected = claudeHostSessionPath(await resolvePath(location.hostCwd), id, hostRoot);
  const found = (await newestFile([expected])) ?? (await findClaudeSessionOnHost(id, hostRoot)).path;
  if (found !== undefined) return found;
  throw new SandboxError(
    `The session \`${id}\` was not found under \`${hostRoot}\`, so it cannot be resumed.`,
    {
      code: 'copy',
      sessionId: id,
    },
  );
}

async function subagentFiles(sessionDir: string): Promise<readonly string[]> {
  const entries = await readdir(join(sessionDir, 'subagents'), {
    recursive: true,
    withFileTypes: true,
  }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(sessionDir.length + 1))
    .filter((path) => /^subagents(?:\/\w[\w.-]*)+$/.test(path))
    .slice(0, MAX_SUBAGENT_FILES);
}

/** The CLI names a project by its resolved path. */
async function resolvePath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
