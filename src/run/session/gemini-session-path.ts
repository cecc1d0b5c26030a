/** Owns where Gemini CLI keeps its sessions: `<home>/.gemini/tmp/<project>/chats/session-<time>-<id's head>.jsonl`. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { newestFile, type HostSessionLookup } from './host-sessions.ts';
import { isSessionId } from './session-id.ts';

/** File in a project's folder that holds the project's directory. */
export const PROJECT_MARKER = '.project_root';

const SESSION_FILE = /(?:^|\/)(session-[\w-]+-([\w-]{1,8})\.jsonl)$/u;
const HEAD_CHARS = 8;

/** Returns the projects of the host: `.gemini/tmp` of `GEMINI_CLI_HOME`, else of the home. */
export function geminiHostProjects(): string {
  const home = process.env['GEMINI_CLI_HOME'] ?? '';
  return join(home === '' ? homedir() : home, '.gemini', 'tmp');
}

/** A pattern of the shell's for the file names of a session; those of another may match it. */
export function geminiSessionPattern(id: string): string {
  return `session-*-${id.slice(0, HEAD_CHARS)}.jsonl`;
}

/** Returns the file's name when `path` may be that session's, or undefined. */
export function geminiSessionFileName(path: string, id: string): string | undefined {
  const [, name, head] = SESSION_FILE.exec(path.replaceAll('\\', '/')) ?? [];
  return head === id.slice(0, HEAD_CHARS) ? name : undefined;
}

/**
 * Names the folder of a project that the CLI has none for yet. The CLI takes the folder whose marker holds its directory, whatever its name;
 * its own names are made of the directory's last part, and it never makes one of this form.
 */
export function newGeminiProject(cwd: string): string {
  return `truecast_${createHash('sha256').update(cwd).digest('hex').slice(0, 16)}`;
}

/** Finds the folder of a project on the host; undefined where there is none. */
export async function findGeminiProject(cwd: string, projects: string): Promise<string | undefined> {
  for (const name of await readdir(projects).catch(() => [])) {
    const marker = await readFile(join(projects, name, PROJECT_MARKER), 'utf8').catch(() => '');
    if (marker !== '' && resolve(marker.trim()) === resolve(cwd)) return join(projects, name);
  }
  return undefined;
}

/** Finds a session on the host by its id, whatever directory it was made in; the one changed last, where there are several. */
export async function findGeminiSessionOnHost(id: string, projects: string): Promise<HostSessionLookup> {
  if (!isSessionId(id)) return { path: undefined, searchedRoot: projects };
  const folders = await readdir(projects).catch(() => []);
  const found = await Promise.all(folders.map((name) => sessionsOf(join(projects, name, 'chats'), id)));
  return { path: await newestFile(found.flat()), searchedRoot: projects };
}

/** The files of a session in one folder. */
async function sessionsOf(chats: string, id: string): Promise<readonly string[]> {
  const names = await readdir(chats).catch(() => []);
  const candidates = names.filter((name) => geminiSessionFileName(name, id) !== undefined);
  const own = await Promise.all(candidates.map((name) => isSessionFile(join(chats, name), id)));
  return candidates.filter((_name, index) => own[index]).map((name) => join(chats, name));
}

async function isSessionFile(path: string, id: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return (text.split('\n', 1)[0] ?? '').includes(geminiSessionMark(id));
}

/** What stands in the first line of a session's file, as the CLI writes it. */
export function geminiSessionMark(id: string): string {
  return `"sessionId":"${id}"`;
}
