/** Interactive programs: runs a program on the caller's terminal. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';
import { writePipe } from '../../process/write-pipe.ts';

/** A program and the caller's streams. */
export interface RunInteractivelyOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  /** Host file that is open in the program at its file descriptor 3. */
  readonly inheritedFile?: string;
  /** Text that the program reads from a pipe at the file descriptor after that. */
  readonly pipedText?: string;
  /** Open descriptors that the program gets after those. */
  readonly inheritedDescriptors?: readonly number[] | undefined;
  /** Called as soon as the program has its descriptors, or could not be started. */
  readonly afterStart?: (() => void) | undefined;
  /** Called with the program's process id, and awaited before the program gets that text. */
  readonly beforePipedText?: (pid: number) => Promise<void>;
}

/**
 * Runs a program that shares this process's terminal if the streams are this process's own. Other
 * streams are piped.
 *
 * @throws SandboxError `exec` if it cannot start; the signal's reason on abort
 */
export async function runInteractively(
  options: RunInteractivelyOptions,
): Promise<{ readonly exitCode: number }> {
  options.signal.throwIfAborted();
  const child = spawnSharing(options);
  writePipe(child, options);
  connect(child, options);
  const onAbort = (): void => {
    child.kill('SIGKILL');
  };
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const exitCode = await exitCodeOf(child, options.file);
    options.signal.throwIfAborted();
    return { exitCode };
  } finally {
    options.signal.removeEventListener('abort', onAbort);
    if (child.stdin !== null) options.stdin.unpipe(child.stdin);
  }
}

function spawnSharing(options: RunInteractivelyOptions): ChildProcess {
  const inherited = options.inheritedFile === undefined ? undefined : openSync(options.inheritedFile, 'r');
  const given = [
    options.stdin === process.stdin ? 'inherit' : 'pipe',
    options.stdout === process.stdout ? 'inherit' : 'pipe',
    options.stderr === process.stderr ? 'inherit' : 'pipe',
    ...(inherited === undefined ? [] : [inherited]),
    ...(options.pipedText === undefined ? [] : (['pipe'] as const)),
    ...(options.inheritedDescriptors ?? []),
  ] as const;
  try {
    // Not detached: the terminal stops a program in a separate process group as soon as it reads.
    return withPrivateDescriptors(given.length, (covers) =>
      spawn(options.file, options.args, { cwd: options.cwd, env: options.env, stdio: [...given, ...covers] }),
    );
  } finally {
    if (inherited !== undefined) closeSync(inherited);
    options.afterStart?.();
  }
}

function connect(child: ChildProcess, { stdin, stdout, stderr }: RunInteractivelyOptions): void {
  child.stdin?.on('error', () => undefined);
  if (child.stdin !== null) stdin.pipe(child.stdin);
  child.stdout?.pipe(stdout, { end: false });
  child.stderr?.pipe(stderr, { end: false });
}

function exitCodeOf(child: ChildProcess, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      reject(
        new SandboxError(`Cannot start \`${file}\`. Check that it is installed.`, { code: 'exec', cause }),
      );
    });
    child.once('close', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
