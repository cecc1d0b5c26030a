/**
 * Session storage of Codex: copies sessions between the host's store and a sandbox's home.
 *
 * A fork contains only events after its parent and refers to the parent by id. All ancestors are
 * therefore copied with it.
 */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { join } from 'node:path';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import type { HostSessionStorage, HostSessionLookup } from '../../ports/agent-sessions.ts';
import type { FileSessionRules } from '../sessions/file-session-rules.ts';
import { chosenRoot, fileSessions } from '../sessions/file-sessions.ts';
import { isSessionId } from '../sessions/session-id.ts';
import { mapFields, parseObject, rewriteSession, type LineRewriter } from '../sessions/session-lines.ts';
import type { CodexTotals } from './codex-totals.ts';
import { findBelow, folderOf } from '../sessions/host-sessions.ts';

/** Session folders of Codex, if they differ from the CLI's defaults. */
export interface CodexSessionStorageOptions {
  /** @default `~/.codex/sessions` on the host, or under its `CODEX_HOME` */
  readonly hostSessionsDir?: string;
  /** @default `~/.codex/sessions` in the sandbox, or under its `CODEX_HOME` */
  readonly sandboxSessionsDir?: string;
}

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
 * @public
 */
export function transferCodexSession(jsonl: string, fromCwd: string, toCwd: string): string {
  assertKind(jsonl, 'a string', 'jsonl', "Pass the text of the session's file.");
  assertKind(fromCwd, 'a string', 'fromCwd', 'Pass the folder of the session.');
  assertKind(toCwd, 'a string', 'toCwd', 'Pass the new folder of the session.');
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
): HostSessionStorage {
  const rules: FileSessionRules = {
    root: () => options.hostSessionsDir ?? codexHostSessionsDir(),
    sandboxRoot: chosenRoot(options.sandboxSessionsDir) ?? '"${CODEX_HOME:-$HOME/.codex}/sessions"',
    envNames: ['CODEX_HOME'],
    list: (id) => `ls -td -- "$root"/*/*/*/rollout-*-${id}.jsonl 2>/dev/null`,
    fileOf: codexRelativePath,
    find: findCodexSessionOnHost,
    hostPath: async ({ id, file }, root) => (await findCodexSessionOnHost(id, root)).path ?? join(root, file),
    sandboxPath: ({ file }) => `"$root"/${file}`,
    rewriteLine: rewriteCodexLine,
    cwdOf,
    parentOf,
    onRead: (id, jsonl) => totals.read(id, jsonl),
  };
  return fileSessions(rules, env);
}

function cwdOf(value: Readonly<Record<string, unknown>>): unknown {
  return isRecord(value['payload']) ? value['payload']['cwd'] : value['cwd'];
}

/** The first line contains the id of the parent session. */
function parentOf(jsonl: string): string | undefined {
  const end = jsonl.indexOf('\n');
  const payload = parseObject(end === -1 ? jsonl : jsonl.slice(0, end))?.['payload'];
  const id = isRecord(payload) ? payload['forked_from_id'] : undefined;
  return typeof id === 'string' && isSessionId(id) ? id : undefined;
}

const ROLLOUT_PATH =
  /\/(\d{4}\/\d{2}\/\d{2})\/(rollout-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-([\w-]+)\.jsonl)$/;

/** Returns the host's `sessions` folder: under `CODEX_HOME`, else `~/.codex`. */
function codexHostSessionsDir(): string {
  return join(folderOf('CODEX_HOME', '.codex'), 'sessions');
}

/**
 * Returns `<year>/<month>/<day>/<name>` from a session's path, or undefined if the path belongs to
 * another session.
 */
function codexRelativePath(path: string, id: string): string | undefined {
  const [, day, name, foundId] = ROLLOUT_PATH.exec(path) ?? [];
  return day !== undefined && name !== undefined && foundId === id ? `${day}/${name}` : undefined;
}

/**
 * Finds a Codex session on the host by its id. Of several matches, returns the one modified last.
 *
 * @example
 * ```ts
 * const { path, searchedRoot } = await findCodexSessionOnHost('01a1fc11-7a87-7690-8e7f-6052717925cc');
 * console.log(path ?? `not in ${searchedRoot}`);
 * ```
 */
export function findCodexSessionOnHost(
  id: string,
  sessionsDir: string = codexHostSessionsDir(),
): Promise<HostSessionLookup> {
  return findBelow(sessionsDir, id, codexRelativePath);
}
