/**
 * Session storage of Codex: copies sessions between the host's store and a sandbox's home.
 *
 * A fork contains only events after its parent and refers to the parent by id. All ancestors are
 * therefore copied with it.
 */
import { findJsonExcess } from '@truecast/core/internal/output/json/json-bounds';
import { readHostSession } from '../sessions/read-host-session.ts';
import { join } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { AgentSessionStorage, SessionLocation } from '../../ports/agent-provider.ts';
import type { CodexTotals } from './codex-totals.ts';
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import { codexHostSessionsDir, codexRelativePath, findCodexSessionOnHost } from './codex-session-path.ts';
import {
  copyLinesOut,
  sandboxFiles,
  listInSandbox,
  writeInSandbox,
  type SandboxFiles,
} from '../sessions/sandbox-files.ts';
import { assertSessionId, isSessionId } from '../sessions/session-id.ts';
import {
  findSessionCwd,
  mapFields,
  rewriteSession,
  rewriteSessionLine,
  type LineRewriter,
} from '../sessions/session-lines.ts';

/** Session folders of Codex, if they differ from the CLI's defaults. */
export interface CodexSessionStorageOptions {
  /** @default `~/.codex/sessions` on the host, or under its `CODEX_HOME` */
  readonly hostSessionsDir?: string;
  /** @default `~/.codex/sessions` in the sandbox, or under its `CODEX_HOME` */
  readonly sandboxSessionsDir?: string;
}

/** Maximum depth of nested forks. Real work does not reach it. */
const MAX_SESSIONS = 100;

/**
 * Rewrites a Codex session for another directory. In `cwd` fields and workspace roots, `fromCwd`
 * and paths below it are mapped to `toCwd`. Everything else is unchanged.
 *
 * @param jsonl - contents of the session file, one JSON object per line
 *
 * @example
 * ```ts
 * const moved = transferCodexSession(text, '/home/agent/work', '/home/me/repository');
 * ```
 */
export function transferCodexSession(jsonl: string, fromCwd: string, toCwd: string): string {
  return rewriteSession(jsonl, fromCwd, toCwd, rewriteCodexLine);
}

const DIRECTORY_FIELDS = ['cwd', 'runtime_workspace_roots', 'workspace_roots'];

const rewriteCodexLine: LineRewriter = (value, map) => {
  const line = mapFields(value, DIRECTORY_FIELDS, map);
  if (!isRecord(line['payload'])) return line;
  const payload = mapFields(line['payload'], DIRECTORY_FIELDS, map);
  const settings = payload['thread_settings'];
  const mappedSettings = isRecord(settings) ? mapFields(settings, DIRECTORY_FIELDS, map) : settings;
  const mapped = mappedSettings === settings ? payload : { ...payload, thread_settings: mappedSettings };
  return mapped === line['payload'] ? line : { ...line, payload: mapped };
};

/** Creates the storage of one provider. `env` is the provider's environment. */
export function createCodexSessionStorage(
  options: CodexSessionStorageOptions,
  env: Readonly<Record<string, string>>,
  totals: CodexTotals,
): AgentSessionStorage {
  const hostRoot = (): string => options.hostSessionsDir ?? codexHostSessionsDir();
  return {
    captureToHost: (location) => capture(location, hostRoot(), sandboxOf(location.handle, options, env)),
    resumeIntoSandbox: (location) =>
      resume(location, hostRoot(), sandboxOf(location.handle, options, env), totals),
    async findByIdOnHost(sessionId) {
      const { path } = await findCodexSessionOnHost(sessionId, hostRoot());
      if (path !== undefined) totals.read(sessionId, await readHostSession(path));
      return path;
    },
  };
}

function sandboxOf(
  handle: SandboxHandle,
  { sandboxSessionsDir }: CodexSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): SandboxFiles {
  const root =
    sandboxSessionsDir === undefined
      ? '"${CODEX_HOME:-$HOME/.codex}/sessions"'
      : quoteArgument(sandboxSessionsDir);
  return sandboxFiles(handle, root, env, ['CODEX_HOME']);
}

async function capture(location: SessionLocation, hostRoot: string, sandbox: SandboxFiles): Promise<string> {
  const id = assertSessionId(location.sessionId);
  const target = await captureOne(id, location, hostRoot, sandbox);
  if (target === undefined) {
    throw new SandboxError(
      `The agent's session \`${id}\` was not found in the sandbox, so it cannot be resumed.`,
      {
        code: 'copy',
        sessionId: id,
      },
    );
  }
  const seen = new Set([id]);
  let parent = parentOf(await readHostSession(target));
  while (parent !== undefined && !seen.has(parent) && seen.size < MAX_SESSIONS) {
    seen.add(parent);
    const { path } = await findCodexSessionOnHost(parent, hostRoot);
    const found = path ?? (await captureOne(parent, location, hostRoot, sandbox));
    parent = found === undefined ? undefined : parentOf(await readHostSession(found));
  }
  return target;
}

async function captureOne(
  id: string,
  { sandboxCwd, hostCwd }: SessionLocation,
  hostRoot: string,
  sandbox: SandboxFiles,
): Promise<string | undefined> {
  const listed = await listInSandbox(sandbox, `ls -td -- "$root"/*/*/*/rollout-*-${id}.jsonl 2>/dev/null`);
  const source = listed.find((path) => codexRelativePath(path, id) !== undefined);
  const relativePath = source === undefined ? undefined : codexRelativePath(source, id);
  if (source === undefined || relativePath === undefined) return undefined;
  const target = (await findCodexSessionOnHost(id, hostRoot)).path ?? join(hostRoot, relativePath);
  await copyLinesOut(sandbox, source, target, (line) =>
    rewriteSessionLine(line, sandboxCwd, hostCwd, rewriteCodexLine),
  );
  return target;
}

async function resume(
  location: SessionLocation,
  hostRoot: string,
  sandbox: SandboxFiles,
  totals: CodexTotals,
): Promise<void> {
  const seen = new Set<string>();
  let id: string | undefined = assertSessionId(location.sessionId);
  while (id !== undefined && !seen.has(id) && seen.size < MAX_SESSIONS) {
    seen.add(id);
    const { path } = await findCodexSessionOnHost(id, hostRoot);
    const relativePath = path === undefined ? undefined : codexRelativePath(path.replaceAll('\\', '/'), id);
    if (path === undefined || relativePath === undefined) throw notOnHost(id, hostRoot);
    const jsonl = await readHostSession(path);
    totals.read(id, jsonl);
    const fromCwd = findSessionCwd(jsonl, cwdOf) ?? location.hostCwd;
    await writeInSandbox(
      sandbox,
      `"$root"/${relativePath}`,
      transferCodexSession(jsonl, fromCwd, location.sandboxCwd),
    );
    id = parentOf(jsonl);
  }
}

function notOnHost(id: string, hostRoot: string): SandboxError {
  return new SandboxError(
    `The session \`${id}\` was not found under \`${hostRoot}\`, so it cannot be resumed.`,
    {
      code: 'copy',
      sessionId: id,
    },
  );
}

function cwdOf(value: Readonly<Record<string, unknown>>): unknown {
  return isRecord(value['payload']) ? value['payload']['cwd'] : value['cwd'];
}

/** The first line contains the id of the parent session. */
function parentOf(jsonl: string): string | undefined {
  const end = jsonl.indexOf('\n');
  const first = end === -1 ? jsonl : jsonl.slice(0, end);
  if (findJsonExcess(first) !== undefined) return undefined;
  try {
    const meta: unknown = JSON.parse(first);
    const payload = isRecord(meta) && isRecord(meta['payload']) ? meta['payload'] : {};
    const id = payload['forked_from_id'];
    return typeof id === 'string' && isSessionId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
