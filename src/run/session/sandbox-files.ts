/**
 * Owns reading and writing files inside a sandbox by commands that run there, so that a link which an agent left is
 * followed inside, never on the host. Works with every handle.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SandboxError } from '../../errors/sandbox-error.ts';
import { quoteArgument } from '../agents/shell-quote.ts';
import type { SandboxExecOptions, SandboxHandle } from '../sandboxes/sandbox-provider.ts';

/** A sandbox, and what says where an agent keeps its files in it. */
export interface SandboxFiles {
  readonly handle: SandboxHandle;
  /** Shell assignments that stand before each command. */
  readonly prelude: string;
}

/**
 * Describes where an agent keeps its files: `root` is set in the shell to `rootExpression`, HOME to what the handle
 * knows, since `docker exec` need not set it, and the agent's own environment wins over both.
 */
export function sandboxFiles(
  handle: SandboxHandle,
  rootExpression: string,
  agentEnv: Readonly<Record<string, string>>,
  names: readonly string[],
): SandboxFiles {
  const known = handle.homePath === undefined ? {} : { HOME: handle.homePath };
  const own = Object.entries(agentEnv).filter(([name]) => name === 'HOME' || names.includes(name));
  const assignments = Object.entries({ ...known, ...Object.fromEntries(own) });
  return {
    handle,
    prelude: [
      ...assignments.map(([name, value]) => `${name}=${quoteArgument(value)}; `),
      `root=${rootExpression}; `,
    ].join(''),
  };
}

/** Runs a script that prints paths, one a line; its exit code says nothing. */
export async function listInSandbox(files: SandboxFiles, script: string): Promise<readonly string[]> {
  const { stdout } = await files.handle.exec(`${files.prelude}${script}`);
  return stdout.split('\n').filter((line) => line !== '');
}

/**
 * Copies a text file from the sandbox to the host line by line, each through `rewrite`. The host's file is replaced whole or not at all.
 *
 * @throws SandboxError `copy`
 */
export function copyLinesOut(
  files: SandboxFiles,
  sandboxPath: string,
  hostPath: string,
  rewrite: (line: string) => string,
): Promise<void> {
  return copyOutputOut(files, `cat -- ${quoteArgument(sandboxPath)}`, hostPath, rewrite);
}

/**
 * Copies what a script prints in the sandbox to a file of the host, line by line, each through `rewrite`. The host's file is replaced whole or not at all.
 *
 * @throws SandboxError `copy` when the script fails
 */
export async function copyOutputOut(
  files: SandboxFiles,
  script: string,
  hostPath: string,
  rewrite: (line: string) => string = (line) => line,
): Promise<void> {
  await mkdir(dirname(hostPath), { recursive: true });
  const temporaryPath = `${hostPath}.${randomUUID()}.tmp`;
  try {
    const file = openSync(temporaryPath, 'wx', 0o600);
    try {
      // Written at once: lines that wait would be a second copy of the session in memory.
      await runInSandbox(files, script, {
        onLine: (line) => writeSync(file, `${rewrite(line)}\n`),
      });
    } finally {
      closeSync(file);
    }
    await rename(temporaryPath, hostPath);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
}

/**
 * Writes a file in the sandbox, making its folders.
 *
 * @param pathExpression - a word of the shell's that expands to the path; it may use what the prelude sets
 * @throws SandboxError `copy`
 */
export async function writeInSandbox(
  files: SandboxFiles,
  pathExpression: string,
  content: string,
): Promise<void> {
  const script = `path=${pathExpression}; umask 077; mkdir -p -- "\${path%/*}" && cat > "$path.tmp" && mv -f -- "$path.tmp" "$path"`;
  await runInSandbox(files, script, { stdin: content });
}

/**
 * Runs a script in the sandbox, to its end.
 *
 * @throws SandboxError `copy` when it fails
 */
export async function runInSandbox(
  files: SandboxFiles,
  command: string,
  options: SandboxExecOptions = {},
): Promise<void> {
  const result = await files.handle.exec(`${files.prelude}${command}`, options);
  if (result.exitCode === 0) return;
  throw new SandboxError(
    `A session file could not be copied: \`${command.slice(0, 200)}\` exited with ${result.exitCode} in the sandbox. ${result.stderr.slice(-500)}`,
    { code: 'copy', exitCode: result.exitCode, stderrTail: result.stderr },
  );
}
