/** Session paths of Claude Code: `<projects>/<encoded cwd>/<id>.jsonl`. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { HostSessionLookup } from '../../ports/agent-sessions.ts';
import { folderOf, newestFile } from '../sessions/host-sessions.ts';
import { assertSessionId, isSessionId } from '../sessions/session-id.ts';

/** The CLI truncates longer folder names and appends a hash to keep them unique. */
const MAX_NAME_CHARS = 200;

/**
 * Encodes a directory like Claude Code's folder names under `~/.claude/projects`. Each UTF-16 unit
 * that is not an ASCII letter or digit becomes a hyphen. Matches Claude Code 2.1.329, except for
 * trailing slashes.
 *
 * @example
 * ```ts
 * encodeProjectPath('/home/me/my.app'); // '-home-me-my-app'
 * ```
 */
export function encodeProjectPath(cwd: string): string {
  assertKind(cwd, 'a string', 'cwd', 'Pass the path of the folder.');
  const path = cwd.length > 1 ? cwd.replace(/[/\\]+$/, '') : cwd;
  const name = path.replaceAll(/[^a-zA-Z0-9]/g, '-');
  return name.length <= MAX_NAME_CHARS ? name : `${name.slice(0, MAX_NAME_CHARS)}-${hash(path)}`;
}

/** Returns a 31-based rolling hash in 32 bits, in base 36. */
function hash(text: string): string {
  let value = 0;
  for (let at = 0; at < text.length; at += 1) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0;
  return Math.abs(value).toString(36);
}

/** Returns the host's `projects` folder: under `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function claudeHostProjectsDir(): string {
  return join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'projects');
}

/**
 * Returns the host path of a Claude Code session.
 *
 * @throws UsageError `invalid-option` if the id is not valid in a path
 *
 * @example
 * ```ts
 * const path = claudeHostSessionPath('/home/me/repository', '213b01b2-bdfb-4311-ae8c-278749623d07');
 * ```
 */
export function claudeHostSessionPath(
  cwd: string,
  id: string,
  projectsDir: string = claudeHostProjectsDir(),
): string {
  assertKind(projectsDir, 'a string', 'projectsDir', 'Pass the path of the `projects` folder.');
  return join(projectsDir, encodeProjectPath(cwd), `${assertSessionId(id)}.jsonl`);
}

/**
 * Returns the path of a Claude Code session inside a sandbox.
 *
 * @throws UsageError `invalid-option` if the id is not valid in a path
 *
 * @example
 * ```ts
 * const path = claudeSandboxSessionPath('/work', '213b01b2-bdfb-4311-ae8c-278749623d07', '/home/agent/.claude/projects');
 * ```
 * @public
 */
export function claudeSandboxSessionPath(cwd: string, id: string, projectsDir: string): string {
  assertKind(projectsDir, 'a string', 'projectsDir', 'Pass the path of the `projects` folder.');
  return posix.join(projectsDir, encodeProjectPath(cwd), `${assertSessionId(id)}.jsonl`);
}

/**
 * Finds a Claude Code session on the host, whatever its working directory. Of several matches,
 * returns the one modified last.
 *
 * @example
 * ```ts
 * const { path, searchedRoot } = await findClaudeSessionOnHost('213b01b2-bdfb-4311-ae8c-278749623d07');
 * console.log(path ?? `not in ${searchedRoot}`);
 * ```
 */
export async function findClaudeSessionOnHost(
  id: string,
  projectsDir: string = claudeHostProjectsDir(),
): Promise<HostSessionLookup> {
  if (!isSessionId(id)) return { path: undefined, searchedRoot: projectsDir };
  const folders = await readdir(projectsDir).catch(() => []);
  const path = await newestFile(folders.map((folder) => join(projectsDir, folder, `${id}.jsonl`)));
  return { path, searchedRoot: projectsDir };
}
