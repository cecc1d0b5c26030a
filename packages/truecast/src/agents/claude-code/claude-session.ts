/**
 * Session storage of Claude Code: copies sessions between the host's store and a sandbox's home.
 *
 * sandbox `<projects>/<cwd>/<id>.jsonl` and `<id>/subagents/*` ⇄ host, with `cwd` fields rewritten
 */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { HostSessionStorage } from '../../ports/agent-sessions.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { CapturedFile, FileSessionRules } from '../sessions/file-session-rules.ts';
import { chosenRoot, fileSessions } from '../sessions/file-sessions.ts';
import { readHostSession } from '../sessions/host-sessions.ts';
import { copyLinesOut, listInSandbox } from '../sessions/sandbox-files.ts';
import { mapFields, rewriteSession, type LineRewriter } from '../sessions/session-lines.ts';
import {
  claudeHostProjectsDir,
  claudeHostSessionPath,
  encodeProjectPath,
  findClaudeSessionOnHost,
} from './claude-session-path.ts';

/** Session folders of Claude Code, if they differ from the CLI's defaults. */
export interface ClaudeSessionStorageOptions {
  /** @default `~/.claude/projects` on the host, or under its `CLAUDE_CONFIG_DIR` */
  readonly hostProjectsDir?: string;
  /** @default `~/.claude/projects` in the sandbox, or under its `CLAUDE_CONFIG_DIR` */
  readonly sandboxProjectsDir?: string;
}

/** Maximum number of sub-agents that are captured with a session. */
const MAX_SUBAGENT_FILES = 1_000;
const MAX_NAMED = 3;

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
 * @public
 */
export function transferClaudeSession(jsonl: string, fromCwd: string, toCwd: string): string {
  assertKind(jsonl, 'a string', 'jsonl', "Pass the text of the session's file.");
  assertKind(fromCwd, 'a string', 'fromCwd', 'Pass the folder of the session.');
  assertKind(toCwd, 'a string', 'toCwd', 'Pass the new folder of the session.');
  return rewriteSession(jsonl, fromCwd, toCwd, rewriteClaudeLine);
}

const rewriteClaudeLine: LineRewriter = (value, map) => mapFields(value, ['cwd'], map);

/** Creates the storage of one provider. `env` is the provider's environment. */
export function createClaudeSessionStorage(
  options: ClaudeSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): HostSessionStorage {
  const knownPath = (id: string, cwd: string, root: string): string =>
    claudeHostSessionPath(resolvePath(cwd), id, root);
  const hostPath: FileSessionRules['hostPath'] = ({ id, cwd }, root) =>
    Promise.resolve(knownPath(id, cwd, root));
  const rules: FileSessionRules = {
    root: () => options.hostProjectsDir ?? claudeHostProjectsDir(),
    sandboxRoot: chosenRoot(options.sandboxProjectsDir) ?? '"${CLAUDE_CONFIG_DIR:-$HOME/.claude}/projects"',
    envNames: ['CLAUDE_CONFIG_DIR'],
    list: (id) => `ls -td -- "$root"/*/${id}.jsonl 2>/dev/null`,
    fileOf: (path, id) => (path.endsWith(`/${id}.jsonl`) ? `${id}.jsonl` : undefined),
    find: findClaudeSessionOnHost,
    knownPath,
    hostPath,
    preferredPath: hostPath,
    sandboxPath: ({ cwd, file }) => `"$root"/${encodeProjectPath(cwd)}/${file}`,
    rewriteLine: rewriteClaudeLine,
    cwdOf: (line) => line['cwd'],
    captureBeside: captureSubagents,
    async resumeBeside({ id, cwd }, source, write) {
      const folder = join(dirname(source), id);
      for (const path of await subagentFiles(folder)) {
        await write(
          `"$root"/${encodeProjectPath(cwd)}/${id}/${path}`,
          await readHostSession(join(folder, path)),
        );
      }
    },
  };
  return fileSessions(rules, env);
}

/** The session can be resumed without its sub-agents, so a failure here is a warning. */
async function captureSubagents({ sandbox, source, target, rewrite, warn }: CapturedFile): Promise<void> {
  const sourceDir = source.slice(0, -'.jsonl'.length);
  const targetDir = target.slice(0, -'.jsonl'.length);
  const script = `find ${quoteArgument(sourceDir)}/subagents -type f -size +0c 2>/dev/null`;
  const found = await listInSandbox(sandbox, script).catch(() => []);
  const missing = found.slice(MAX_SUBAGENT_FILES).map(() => `more than ${MAX_SUBAGENT_FILES} files`);
  for (const path of found.slice(0, MAX_SUBAGENT_FILES)) {
    const below = path.startsWith(`${sourceDir}/`) ? path.slice(sourceDir.length + 1) : '';
    // The list comes from the sandbox. Only plain names are allowed in paths on the host.
    if (!/^subagents(?:\/\w[\w.-]*)+$/.test(below)) continue;
    await copyLinesOut(sandbox, path, join(targetDir, below), rewrite).catch((error: unknown) => {
      missing.push(`\`${cut(below)}\` (${cut(error instanceof Error ? error.message : String(error))})`);
    });
  }
  if (missing.length > 0) {
    warn(
      `The session was copied without ${missing.length} of ${found.length} files of its sub-agents: ${missing.slice(0, MAX_NAMED).join(', ')}.`,
    );
  }
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
function resolvePath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
