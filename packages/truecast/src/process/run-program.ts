/** Program runner for the host: bounded output, a timeout, an abort signal, and an exit code instead of an error. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { collectOutput, type OutputCollector } from './collect-output.ts';
import { shellExitCode } from './spawn-command.ts';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';
import { hostEnvironment } from '../support/search-path.ts';
import { trackTree } from './process-tree.ts';

/** Inputs, outputs and limits of a program. */
export interface RunProgramOptions extends Pick<StartProgramOptions, 'cwd' | 'env' | 'needsWindowsShell'> {
  /** Bytes or an open file for stdin. @default stdin is empty */
  readonly stdin?: Uint8Array | number | undefined;
  /** Open file for stdout. @default it is collected */
  readonly stdout?: number | undefined;
  /** Open file for stderr. @default it is collected */
  readonly stderr?: number | undefined;
  /**
   * Called with each piece of collected output. The result then contains only the end of the
   * output.
   */
  readonly onOutput?: ((chunk: string) => void) | undefined;
  /** Ends the program. @default no limit */
  readonly timeoutMs?: number | undefined;
  /** Ends the program, and then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ProgramResult {
  /** 128 plus the signal's number if a signal ended it. Undefined if it could not be started. */
  readonly exitCode: number | undefined;
  /** Without the final newline. Bounded: the start of a very long output is missing. */
  readonly stdout: string;
  /** Limited like `stdout`. */
  readonly stderr: string;
  readonly isTimedOut: boolean;
  /** Why the program could not be started. */
  readonly startError: unknown;
}

/** Time between SIGTERM and SIGKILL for a program that is ended. */
const KILL_GRACE_MS = 2_000;

/**
 * Runs a program until it has exited and its output is read. After a timeout or an abort, the
 * output is not read to its end, because the program's children can hold the pipes open.
 *
 * @throws the signal's reason, after the program has exited; or a listener's error
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: RunProgramOptions = {},
): Promise<ProgramResult> {
  const { signal, timeoutMs } = options;
  signal?.throwIfAborted();
  const child = startOrReturn(file, args, options);
  if ('startError' in child) return { ...NOT_STARTED, ...child };
  const failure = new AbortController();
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const output = collect(child, options, (error) => failure.abort(error));
  const stops = [signal, failure.signal, timeout].filter((each) => each !== undefined);
  const stopWatching = endOnAbort(child, AbortSignal.any(stops));
  writeInput(child, options.stdin);
  const { exitCode, startError } = await exitOf(child);
  stopWatching();
  const { stdout, stderr } = output.end();
  signal?.throwIfAborted();
  failure.signal.throwIfAborted();
  const isTimedOut = timeout?.aborted === true;
  return { exitCode, stdout: trimNewline(stdout), stderr: trimNewline(stderr), isTimedOut, startError };
}

const NOT_STARTED = { exitCode: undefined, stdout: '', stderr: '', isTimedOut: false } as const;

function startOrReturn(
  file: string,
  args: readonly string[],
  options: RunProgramOptions,
): ChildProcess | { readonly startError: unknown } {
  const { stdin, stdout = 'pipe', stderr = 'pipe' } = options;
  const input = stdin instanceof Uint8Array ? 'pipe' : (stdin ?? 'ignore');
  try {
    return startProgram(file, args, { ...options, stdio: [input, stdout, stderr] });
  } catch (startError) {
    return { startError };
  }
}

function collect(
  child: ChildProcess,
  { onOutput }: RunProgramOptions,
  onListenerError: (error: unknown) => void,
): OutputCollector {
  const nothing = (): Readable => Readable.from([]);
  return collectOutput(
    { stdout: child.stdout ?? nothing(), stderr: child.stderr ?? nothing() },
    onOutput === undefined ? {} : { onChunk: onOutput, onStderrChunk: onOutput },
    onListenerError,
  );
}

function writeInput(child: ChildProcess, input: Uint8Array | number | undefined): void {
  // A program that exits without reading its stdin breaks the pipe.
  child.stdin?.on('error', () => undefined);
  if (input instanceof Uint8Array) child.stdin?.end(input);
}

/** Ends the program when the signal aborts. Returns a function that stops this. */
function endOnAbort(child: ChildProcess, signal: AbortSignal): () => void {
  const closePipes = (): void => {
    for (const stream of child.stdio) stream?.destroy();
  };
  const end = (): void => {
    if (child.exitCode !== null || child.signalCode !== null) return closePipes();
    child.once('exit', closePipes).kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MS).unref();
  };
  signal.addEventListener('abort', end, { once: true });
  return () => signal.removeEventListener('abort', end);
}

function exitOf(child: ChildProcess): Promise<Pick<ProgramResult, 'exitCode' | 'startError'>> {
  return new Promise((resolve) => {
    child.once('error', (startError) => {
      if (child.pid === undefined) resolve({ exitCode: undefined, startError });
    });
    child.once('close', (code, signal) =>
      resolve({ exitCode: shellExitCode({ code, signal }), startError: undefined }),
    );
  });
}

function trimNewline(text: string): string {
  return text.replace(/\r?\n$/u, '');
}

interface StartProgramOptions {
  /** Its stdin, stdout and stderr. */
  readonly stdio: readonly ['pipe' | 'ignore' | number, 'pipe' | number, 'pipe' | 'ignore' | number];
  /** @default this process's */
  readonly cwd?: string | undefined;
  /** The whole environment. @default `hostEnvironment()` */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Starts it through a shell on Windows, where npm installs programs as `.cmd` files. The shell
   * gets the arguments unquoted, so they must be constants.
   *
   * @default false
   */
  readonly needsWindowsShell?: boolean | undefined;
}

/**
 * Starts a program in this process's group, so that the terminal's Ctrl-C reaches it. It gets
 * SIGTERM when this process exits. A program that cannot be started emits `error`.
 *
 * @throws Error if the operating system refuses at once, for example for arguments over its limit
 */
function startProgram(
  file: string,
  args: readonly string[],
  { stdio, cwd, env = hostEnvironment(cwd), needsWindowsShell = false }: StartProgramOptions,
): ChildProcess {
  const isByShell = needsWindowsShell && process.platform === 'win32';
  const child = withPrivateDescriptors(stdio.length, (covers) =>
    spawn(isByShell ? [file, ...args].join(' ') : file, isByShell ? [] : args, {
      cwd,
      env,
      shell: isByShell,
      stdio: [...stdio, ...covers],
      windowsHide: true,
    }),
  );
  const end = (): void => void child.kill('SIGTERM');
  const untrack = trackTree({ terminate: end, kill: end, isAlive: () => child.exitCode === null });
  child.once('close', untrack).once('error', untrack);
  return child;
}
