/** Session paths of Codex: `<sessions>/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`. */
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HostSessionLookup } from '../../ports/agent-sessions.ts';
import { newestFile } from '../sessions/host-sessions.ts';
import { isSessionId } from '../sessions/session-id.ts';

const ROLLOUT_PATH =
  /\/(\d{4}\/\d{2}\/\d{2})\/(rollout-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-([\w-]+)\.jsonl)$/;

/** Returns the host's `sessions` folder: under `CODEX_HOME`, else `~/.codex`. */
export function codexHostSessionsDir(): string {
  const codexHome = process.env['CODEX_HOME'];
  return join(
    codexHome === undefined || codexHome === '' ? join(homedir(), '.codex') : codexHome,
    'sessions',
  );
}

/**
 * Returns `<year>/<month>/<day>/<name>` from a session's path, or undefined if the path belongs to
 * another session.
 */
export function codexRelativePath(path: string, id: string): string | undefined {
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
export async function findCodexSessionOnHost(
  id: string,
  sessionsDir: string = codexHostSessionsDir(),
): Promise<HostSessionLookup> {
  if (!isSessionId(id)) return { path: undefined, searchedRoot: sessionsDir };
  const entries = await readdir(sessionsDir, { recursive: true }).catch(() => []);
  const found = entries.filter(
    (entry) => codexRelativePath(`/${entry.replaceAll('\\', '/')}`, id) !== undefined,
  );
  return {
    path: await newestFile(found.map((entry) => join(sessionsDir, entry))),
    searchedRoot: sessionsDir,
  };
}
