/**
 * Session paths of Gemini CLI: `<home>/.gemini/tmp/<project>/chats/session-<time>-<id's
 * head>.jsonl`.
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { HostSessionLookup } from '../../ports/agent-sessions.ts';
import { newestFile, readHostSession } from '../sessions/host-sessions.ts';
import { isSessionId } from '../sessions/session-id.ts';

/** File in a project's folder that contains the project's directory path. */
export const PROJECT_MARKER = '.project_root';

const SESSION_FILE = /(?:^|\/)(session-[\w-]+-([\w-]{1,8})\.jsonl)$/u;
const HEAD_CHARS = 8;

/**
 * Returns the host's projects folder: `.gemini/tmp` under `GEMINI_CLI_HOME`, else under the home.
 */
export function geminiHostProjects(): string {
  const home = process.env['GEMINI_CLI_HOME'] ?? '';
  return join(home === '' ? homedir() : home, '.gemini', 'tmp');
}

/**
 * Returns a shell pattern for a session's file names. It can also match files of another session.
 */
export function geminiSessionPattern(id: string): string {
  return `session-*-${id.slice(0, HEAD_CHARS)}.jsonl`;
}

/** Returns the file name if `path` can belong to that session, or undefined. */
export function geminiSessionFileName(path: string, id: string): string | undefined {
  const [, name, head] = SESSION_FILE.exec(path.replaceAll('\\', '/')) ?? [];
  return head === id.slice(0, HEAD_CHARS) ? name : undefined;
}

/**
 * Returns a folder name for a project that is new to the CLI. The CLI finds a project's folder by
 * its marker file, whatever its name. The CLI's own names use the last part of the directory and
 * never have this form.
 */
export function newGeminiProject(cwd: string): string {
  return `truecast_${createHash('sha256').update(cwd).digest('hex').slice(0, 16)}`;
}

/** Finds the folder of a project on the host. Returns undefined if it does not exist. */
export async function findGeminiProject(cwd: string, projects: string): Promise<string | undefined> {
  for (const name of await readdir(projects).catch(() => [])) {
    const marker = await readHostSession(join(projects, name, PROJECT_MARKER)).catch(() => '');
    if (marker !== '' && resolve(marker.trim()) === resolve(cwd)) return join(projects, name);
  }
  return undefined;
}

/**
 * Finds a session on the host by its id, whatever its working directory. Of several matches,
 * returns the one modified last.
 */
export async function findGeminiSessionOnHost(id: string, projects: string): Promise<HostSessionLookup> {
  if (!isSessionId(id)) return { path: undefined, searchedRoot: projects };
  const folders = await readdir(projects).catch(() => []);
  const found = await Promise.all(folders.map((name) => sessionsOf(join(projects, name, 'chats'), id)));
  return { path: await newestFile(found.flat()), searchedRoot: projects };
}

/** Returns the files of a session in one folder. */
async function sessionsOf(chats: string, id: string): Promise<readonly string[]> {
  const names = await readdir(chats).catch(() => []);
  const candidates = names.filter((name) => geminiSessionFileName(name, id) !== undefined);
  const own = await Promise.all(candidates.map((name) => isSessionFile(join(chats, name), id)));
  return candidates.filter((_name, index) => own[index]).map((name) => join(chats, name));
}

async function isSessionFile(path: string, id: string): Promise<boolean> {
  const text = await readHostSession(path).catch(() => '');
  return (text.split('\n', 1)[0] ?? '').includes(geminiSessionMark(id));
}

/** Returns a substring of the first line in a session's file, as the CLI writes it. */
export function geminiSessionMark(id: string): string {
  return `"sessionId":"${id}"`;
}
