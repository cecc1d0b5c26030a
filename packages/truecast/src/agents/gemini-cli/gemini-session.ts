/**
 * Session storage of Gemini CLI: copies sessions between the host's store and a sandbox's home.
 *
 * sandbox `<projects>/<project of the sandbox's cwd>/chats/session-….jsonl` ⇄ host, in the project
 * of the host's cwd
 */
import { mkdir, realpath, writeFile, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { HostSessionStorage, HostSessionLookup } from '../../ports/agent-sessions.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { FileSessionRules } from '../sessions/file-session-rules.ts';
import { chosenRoot, fileSessions } from '../sessions/file-sessions.ts';
import { createHash } from 'node:crypto';
import { folderOf, newestFile, readHostSession } from '../sessions/host-sessions.ts';
import { isSessionId } from '../sessions/session-id.ts';

/** Session folders of Gemini CLI, if they differ from the CLI's defaults. */
export interface GeminiSessionStorageOptions {
  /**
   * Folder that contains one folder per project. @default `~/.gemini/tmp` on the host, or
   * `.gemini/tmp` under its `GEMINI_CLI_HOME`
   */
  readonly hostProjectsDir?: string;
  /** @default `~/.gemini/tmp` in the sandbox, or `.gemini/tmp` under its `GEMINI_CLI_HOME` */
  readonly sandboxProjectsDir?: string;
}

/** Creates the storage of one provider. `env` is the provider's environment. */
export function createGeminiSessionStorage(
  options: GeminiSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): HostSessionStorage {
  const rules: FileSessionRules = {
    // The CLI finds the session only in this directory.
    isBoundToDirectory: true,
    root: () => options.hostProjectsDir ?? geminiHostProjects(),
    sandboxRoot: chosenRoot(options.sandboxProjectsDir) ?? '"${GEMINI_CLI_HOME:-$HOME}/.gemini/tmp"',
    envNames: ['GEMINI_CLI_HOME'],
    list: listOwnFiles,
    fileOf: geminiSessionFileName,
    find: findGeminiSessionOnHost,
    hostPath: async ({ cwd, file }, projects) => join(await projectOf(cwd, projects), 'chats', file),
    async preferredPath({ cwd, file }, projects) {
      const here = await findGeminiProject(await realCwd(cwd), projects);
      return here === undefined ? undefined : join(here, 'chats', file);
    },
    sandboxPath: ({ cwd, file }) =>
      `"$(${findProjectInSandbox(cwd, newGeminiProject(cwd))})/chats/"${quoteArgument(file)}`,
  };
  return fileSessions(rules, env);
}

/** File names contain only the id's head. The first line contains all of it. */
function listOwnFiles(id: string): string {
  const list = `ls -t -- "$root"/*/chats/${geminiSessionPattern(id)} 2>/dev/null`;
  const own = `while read -r path; do head -n 1 -- "$path" | grep -qF ${quoteArgument(geminiSessionMark(id))} && printf '%s\\n' "$path"; done`;
  return `${list} | ${own}`;
}

/** Prints the project folder of `cwd`, and creates it if it is missing. */
function findProjectInSandbox(cwd: string, name: string): string {
  return [
    `cwd=$(cd ${quoteArgument(cwd)} 2>/dev/null && pwd -P || printf %s ${quoteArgument(cwd)})`,
    `for marker in "$root"/*/${PROJECT_MARKER}; do if [ -f "$marker" ] && [ "$(cat "$marker")" = "$cwd" ]; then printf %s "\${marker%/*}"; exit; fi; done`,
    `mkdir -p "$root"/${name} && printf %s "$cwd" > "$root"/${name}/${PROJECT_MARKER}`,
    `printf %s "$root"/${name}`,
  ].join('; ');
}

/** Returns the folder of a project on the host, and creates it if it is missing. */
async function projectOf(hostCwd: string, projects: string): Promise<string> {
  const cwd = await realCwd(hostCwd);
  const found = await findGeminiProject(cwd, projects);
  if (found !== undefined) return found;
  const made = join(projects, newGeminiProject(cwd));
  await mkdir(made, { recursive: true });
  await writeFile(join(made, PROJECT_MARKER), cwd);
  return made;
}

/** The CLI names a project by its resolved path. */
function realCwd(cwd: string): Promise<string> {
  return realpath(cwd).catch(() => cwd);
}

/** File in a project's folder that contains the project's directory path. */
const PROJECT_MARKER = '.project_root';

const SESSION_FILE = /(?:^|\/)(session-[\w-]+-([\w-]{1,8})\.jsonl)$/u;
const HEAD_CHARS = 8;

/**
 * Returns the host's projects folder: `.gemini/tmp` under `GEMINI_CLI_HOME`, else under the home.
 */
function geminiHostProjects(): string {
  return join(folderOf('GEMINI_CLI_HOME'), '.gemini', 'tmp');
}

/**
 * Returns a shell pattern for a session's file names. It can also match files of another session.
 */
export function geminiSessionPattern(id: string): string {
  return `session-*-${id.slice(0, HEAD_CHARS)}.jsonl`;
}

/** Returns the file name if `path` can belong to that session, or undefined. */
function geminiSessionFileName(path: string, id: string): string | undefined {
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
function geminiSessionMark(id: string): string {
  return `"sessionId":"${id}"`;
}
