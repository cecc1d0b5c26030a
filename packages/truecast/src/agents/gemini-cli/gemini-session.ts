/**
 * Session storage of Gemini CLI: copies sessions between the host's store and a sandbox's home.
 *
 * sandbox `<projects>/<project of the sandbox's cwd>/chats/session-….jsonl` ⇄ host, in the project
 * of the host's cwd
 */
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostSessionStorage } from '../../ports/agent-sessions.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { FileSessionRules } from '../sessions/file-session-rules.ts';
import { chosenRoot, fileSessions } from '../sessions/file-sessions.ts';
import {
  findGeminiProject,
  findGeminiSessionOnHost,
  geminiHostProjects,
  geminiSessionFileName,
  geminiSessionMark,
  geminiSessionPattern,
  newGeminiProject,
  PROJECT_MARKER,
} from './gemini-session-path.ts';

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
