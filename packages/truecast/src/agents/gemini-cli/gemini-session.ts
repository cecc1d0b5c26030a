/**
 * Session storage of Gemini CLI: copies sessions between the host's store and a sandbox's home.
 *
 * sandbox `<projects>/<project of the sandbox's cwd>/chats/session-….jsonl` ⇄ host, in the project
 * of the host's cwd
 */
import { readHostSession } from '../sessions/read-host-session.ts';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { AgentSessionStorage, SessionLocation } from '../../ports/agent-provider.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
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
import { newestFile } from '../sessions/host-sessions.ts';
import {
  copyLinesOut,
  listInSandbox,
  sandboxFiles,
  writeInSandbox,
  type SandboxFiles,
} from '../sessions/sandbox-files.ts';
import { assertSessionId } from '../sessions/session-id.ts';

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
): AgentSessionStorage {
  const host = (): string => options.hostProjectsDir ?? geminiHostProjects();
  return {
    // The CLI finds the session only in this directory.
    isBoundToDirectory: true,
    captureToHost: (location) => capture(location, host(), sandboxOf(location.handle, options, env)),
    resumeIntoSandbox: (location) => resume(location, host(), sandboxOf(location.handle, options, env)),
    findByIdOnHost: async (sessionId) => (await findGeminiSessionOnHost(sessionId, host())).path,
  };
}

function sandboxOf(
  handle: SandboxHandle,
  { sandboxProjectsDir }: GeminiSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): SandboxFiles {
  const root =
    sandboxProjectsDir === undefined
      ? '"${GEMINI_CLI_HOME:-$HOME}/.gemini/tmp"'
      : quoteArgument(sandboxProjectsDir);
  return sandboxFiles(handle, root, env, ['GEMINI_CLI_HOME']);
}

async function capture(location: SessionLocation, projects: string, sandbox: SandboxFiles): Promise<string> {
  const id = assertSessionId(location.sessionId);
  const list = `ls -t -- "$root"/*/chats/${geminiSessionPattern(id)} 2>/dev/null`;
  const own = `while read -r path; do head -n 1 -- "$path" | grep -qF ${quoteArgument(geminiSessionMark(id))} && printf '%s\\n' "$path"; done`;
  const listed = await listInSandbox(sandbox, `${list} | ${own}`);
  const source = listed.find((path) => geminiSessionFileName(path, id) !== undefined);
  if (source === undefined) {
    throw new SandboxError(
      `The agent's session \`${id}\` was not found in the sandbox, so it cannot be resumed.`,
      { code: 'copy', sessionId: id },
    );
  }
  const target = join(await projectOf(location.hostCwd, projects), 'chats', basename(source));
  await copyLinesOut(sandbox, source, target, (line) => line);
  return target;
}

async function resume(location: SessionLocation, projects: string, sandbox: SandboxFiles): Promise<void> {
  const id = assertSessionId(location.sessionId);
  const { path: found, searchedRoot } = await findGeminiSessionOnHost(id, projects);
  const here = await findGeminiProject(await realCwd(location.hostCwd), projects);
  const own = found === undefined || here === undefined ? undefined : join(here, 'chats', basename(found));
  const source = (own === undefined ? undefined : await newestFile([own])) ?? found;
  if (source === undefined) {
    throw new SandboxError(
      `The session \`${id}\` was not found under \`${searchedRoot}\`, so it cannot be resumed.`,
      { code: 'copy', sessionId: id },
    );
  }
  const content = await readHostSession(source);
  const name = newGeminiProject(location.sandboxCwd);
  const path = `"$(${findProjectInSandbox(location.sandboxCwd, name)})/chats/"${quoteArgument(basename(source))}`;
  await writeInSandbox(sandbox, path, content);
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
