/**
 * File access inside a sandbox, by commands that run there. A symbolic link created by an agent is
 * therefore resolved inside, never on the host. Works with every handle.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { SandboxExecOptions, SandboxExecResult, SandboxHandle } from '../../ports/sandbox-provider.ts';

/** A sandbox and the location of an agent's files in it. */
export interface SandboxFiles {
  readonly handle: SandboxHandle;
  /** Shell assignments that precede each command. */
  readonly prelude: string;
}

/**
 * Creates the location of an agent's files. In the shell, `root` is set to `rootExpression`, and
 * HOME to the handle's home path, because `docker exec` does not always set it. The agent's
 * environment takes precedence over both.
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

/** Runs a script that prints one path per line. Its exit code is ignored. */
export async function listInSandbox(files: SandboxFiles, script: string): Promise<readonly string[]> {
  const { stdout } = await files.handle.exec(`${files.prelude}${script}`);
  return stdout.split('\n').filter((line) => line !== '');
}

/**
 * Copies a regular text file from the sandbox to the host, and passes each line through `rewrite`.
 * The host's file is replaced atomically.
 *
 * @throws SandboxError `copy`
 */
export function copyLinesOut(
  files: SandboxFiles,
  sandboxPath: string,
  hostPath: string,
  rewrite: (line: string) => string,
): Promise<void> {
  // Prevents endless reads from a link to a device.
  const path = quoteArgument(sandboxPath);
  return copyOutputOut(files, `[ -f ${path} ] && cat -- ${path}`, hostPath, rewrite);
}

/**
 * Copies the output of a script in the sandbox to a host file, and passes each line through
 * `rewrite`. The host's file is replaced atomically, and only by a whole output that is not empty.
 *
 * @throws SandboxError `copy` if the script fails, or if its output is empty or arrives in part
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
      // Synchronous writes. Queued lines would keep a second copy of the session in memory.
      await copyLines(files, script, (line) => void writeSync(file, `${rewrite(line)}\n`));
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
 * Calls `onLine` with each line of a script's output. A sandbox of a caller can report the output
 * line by line, only as a result, or in part. A line before it and one after it, which no session
 * contains, show that all of it arrived.
 */
async function copyLines(files: SandboxFiles, script: string, onLine: (line: string) => void): Promise<void> {
  const mark = randomUUID();
  const end = `end-${mark}`;
  const at: { part: 'before' | 'inside' | 'after' } = { part: 'before' };
  let isStreamed = false;
  let count = 0;
  const push = (line: string): void => {
    if (at.part === 'before' && line === mark) at.part = 'inside';
    else if (at.part === 'inside') {
      // A file without a last newline shares its last line with the end.
      const text = line.endsWith(end) ? line.slice(0, -end.length) : line;
      if (text !== line) at.part = 'after';
      if (at.part === 'after' && text === '') return;
      count += 1;
      onLine(text);
    }
  };
  const { stdout } = await runInSandbox(files, `echo ${mark}; { ${script}; } && echo ${end}`, {
    onLine: (line) => {
      isStreamed = true;
      push(line);
    },
  });
  if (!isStreamed) stdout.split('\n').forEach(push);
  if (at.part === 'after' && count > 0) return;
  throw new SandboxError(
    at.part === 'after'
      ? 'The session file in the sandbox is empty, so it was not copied.'
      : `The session was not copied: its lines arrived only in part. Expected \`exec\` of the sandbox to call \`onLine\` with every line, or to return all of stdout. Correct its provider.`,
    { code: 'copy' },
  );
}

/**
 * Writes a file in the sandbox, and creates its parent folders.
 *
 * @param pathExpression - a shell word that expands to the path; it can use variables of the
 *   prelude
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
 * Runs a script in the sandbox until it exits.
 *
 * @throws SandboxError `copy` if it fails
 */
export async function runInSandbox(
  files: SandboxFiles,
  command: string,
  options: SandboxExecOptions = {},
): Promise<SandboxExecResult> {
  const result = await files.handle.exec(`${files.prelude}${command}`, options);
  if (result.exitCode === 0) return result;
  throw new SandboxError(
    `A session file could not be copied: \`${command.slice(0, 200)}\` exited with ${result.exitCode} in the sandbox. ${result.stderr.slice(-500)}`,
    { code: 'copy', exitCode: result.exitCode, stderrTail: result.stderr },
  );
}
