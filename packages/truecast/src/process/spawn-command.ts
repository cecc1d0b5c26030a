/**
 * Command execution for every sandbox: runs one command until it exits. Uses `node:child_process`
 * directly, because a library's timeout waits for the pipes of grandchildren. Here a command has
 * ended as soon as its own process has ended.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import {
  collectOutput,
  type CollectedOutput,
  type OutputCollector,
  type OutputListeners,
} from './collect-output.ts';
import { inTime, turnTwice, waitUntil } from './bounded-waits.ts';
import { writePipe } from './write-pipe.ts';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';
import { groupTree, signalGroup, trackTree, type ProcessTree } from './process-tree.ts';

/** A program, its inputs, and its listeners. */
export interface SpawnCommandOptions extends OutputListeners {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The program's stdin. A rejected promise closes it empty. @default empty */
  readonly stdin?: string | Promise<string>;
  /**
   * Open file that the program reads as its stdin, or `ignore` for the null device. @default a pipe, which is cut when
   * this process is killed
   */
  readonly stdinFile?: number | 'ignore' | undefined;
  /** Kills the tree, and then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Time between the termination request and the kill, in milliseconds. @default 2000 */
  readonly killGraceMs?: number;
  /**
   * Open file that receives the program's stderr. The result then has none. @default a pipe, which
   * breaks when this process is killed
   */
  readonly stderrFile?: number | undefined;
  /** Called with the program's process id when it has started. */
  readonly onSpawn?: ((pid: number) => void) | undefined;
  /** Receives the program's output on its file descriptor 3. */
  readonly onStatus?: (chunk: string) => void;
  /**
   * Host file that is open in the program at its next file descriptor: 4 with `onStatus`, else 3.
   */
  readonly inheritedFile?: string;
  /** Text that the program reads from a pipe at the file descriptor after those. */
  readonly pipedText?: string;
  /** Open descriptors that the program gets after those. */
  readonly inheritedDescriptors?: readonly number[] | undefined;
  /** Called as soon as the program has its descriptors, or could not be started. */
  readonly afterStart?: (() => void) | undefined;
  /** Called with the program's process id, and awaited before the program gets that text. */
  readonly beforePipedText?: (pid: number) => Promise<void>;
  /** Creates the process tree of the process `pid`. @default its process group */
  readonly makeTree?: (pid: number) => ProcessTree;
  /**
   * Passes `file` and `args` unquoted on Windows, where each shell has its own quoting.
   * @default false
   */
  readonly isVerbatim?: boolean;
}

export interface SpawnCommandResult extends CollectedOutput {
  /** 128 plus the signal's number if a signal ended it. */
  readonly exitCode: number;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface StartedChild {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly output: OutputCollector;
  readonly exited: Promise<Exit>;
  readonly closed: Promise<unknown>;
  readonly tree: ProcessTree;
}

/** Time that a pipe can be quiet after the exit before the processes that hold it are killed. */
const QUIET_MS = 200;
/** Maximum time that a pipe is read after the exit. */
const MAX_DRAIN_MS = 2_000;
/** Maximum wait for a tree that is still starting, before it is killed anyway. */
const MAX_REACH_MS = 500;
/** Maximum wait for killed processes to die. */
const MAX_DEATH_MS = 2_000;

/**
 * Runs a program in a separate process group. Resolves after it has exited and its output is read.
 *
 * Its remaining child processes are then killed. A background process that holds the pipe delays
 * the result by at most 200 ms while it is quiet, and 2 s in total. A non-zero exit is a result.
 *
 * @throws SandboxError `exec` if the program cannot be started; the signal's reason, after the tree
 *   is dead, on abort; a listener's own error likewise
 */
export async function spawnCommand(options: SpawnCommandOptions): Promise<SpawnCommandResult> {
  options.signal?.throwIfAborted();
  const ender = new AbortController();
  const started = await startChild(options, (error) => ender.abort(error));
  const untrack = trackTree(trackedTree(started));
  const signal =
    options.signal === undefined ? ender.signal : AbortSignal.any([options.signal, ender.signal]);
  const ending = endOnAbort(started, signal, options.killGraceMs ?? 2_000);
  try {
    const exit = await started.exited;
    // Discards input that the dead process did not read. An open stdin would prevent the pipes from
    // closing.
    started.stdin?.destroy();
    if (signal.aborted) await ending;
    await drain(started);
    const output = started.output.end();
    signal.throwIfAborted();
    return { ...output, exitCode: shellExitCode(exit) };
  } finally {
    untrack();
  }
}

async function startChild(
  options: SpawnCommandOptions,
  onListenerError: (error: unknown) => void,
): Promise<StartedChild> {
  const child = spawnOrThrow(options);
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const spawned = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (error) => reject(spawnError(options, error)));
  });
  const { stdin, stdout } = child;
  const stderr = options.stderrFile === undefined ? child.stderr : undefined;
  const status = options.onStatus === undefined ? undefined : child.stdio[3];
  if ((stdin === null && options.stdinFile === undefined) || stdout === null || stderr === null) {
    throw spawnError(options, 'no pipes');
  }
  // A command that exits without reading its stdin breaks the pipe during the write.
  stdin?.on('error', () => undefined);
  const output = collectOutput({ stdout, stderr }, options, onListenerError);
  if (status instanceof Readable) readStatus(status, options);
  writePipe(child, options);
  await spawned;
  options.onSpawn?.(child.pid ?? 0);
  Promise.resolve(options.stdin ?? '').then(
    // Not even an empty text is written: the program can have exited, and an error formats its stack.
    (text) => stdin?.end(text === '' ? undefined : text),
    () => stdin?.end(),
  );
  const pid = child.pid ?? 0;
  return { child, pid, stdin, output, exited, closed, tree: (options.makeTree ?? groupTree)(pid) };
}

function readStatus(status: Readable, { onStatus }: SpawnCommandOptions): void {
  status.setEncoding('utf8').on('data', (chunk: string) => onStatus?.(chunk));
  status.on('error', () => undefined);
}

function spawnOrThrow(options: SpawnCommandOptions): ChildProcess {
  const {
    onStatus,
    inheritedFile,
    pipedText,
    stdinFile = 'pipe',
    stderrFile = 'pipe',
    inheritedDescriptors = [],
    afterStart,
  } = options;
  // Opened for each process, because processes that share an open file share its position.
  const inherited = inheritedFile === undefined ? undefined : openSync(inheritedFile, 'r');
  try {
    const given = [
      ...([stdinFile, 'pipe', stderrFile] as const),
      ...(onStatus === undefined ? [] : (['pipe'] as const)),
      ...(inherited === undefined ? [] : [inherited]),
      ...(pipedText === undefined ? [] : (['pipe'] as const)),
      ...inheritedDescriptors,
    ];
    return withPrivateDescriptors(given.length, (covers) =>
      spawn(options.file, options.args, {
        cwd: options.cwd,
        env: options.env,
        detached: process.platform !== 'win32',
        windowsHide: true,
        windowsVerbatimArguments: options.isVerbatim ?? false,
        stdio: [...given, ...covers],
      }),
    );
  } catch (error) {
    // Node throws here if the operating system refuses at once, for example for an argument over
    // its limit.
    throw spawnError(options, error);
  } finally {
    if (inherited !== undefined) closeSync(inherited);
    afterStart?.();
  }
}

function spawnError({ file, cwd }: SpawnCommandOptions, cause: unknown): SandboxError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT' && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return new SandboxError(
      `Cannot run a command in \`${cwd}\`: the directory does not exist. Create it first.`,
      {
        code: 'exec',
        cause,
      },
    );
  }
  const hint =
    code === 'E2BIG'
      ? 'Its arguments exceed the limit of the operating system (128 KiB each on Linux): pass long text on stdin.'
      : "Read the error's `cause` for the message of the operating system.";
  return new SandboxError(`Cannot start \`${file}\` (${String(code ?? cause)}). ${hint}`, {
    code: 'exec',
    cause,
  });
}

/**
 * When this process exits, there is no time to wait. The child is then killed together with its
 * tree.
 */
function trackedTree({ tree, pid }: StartedChild): ProcessTree {
  return {
    ...tree,
    kill() {
      tree.kill();
      signalGroup(pid, 'SIGKILL');
    },
  };
}

async function endOnAbort(
  { child, pid, tree, exited }: StartedChild,
  signal: AbortSignal,
  graceMs: number,
): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([aborted, exited]);
  if (!signal.aborted) return;
  // A listener can abort before the status names the process to kill.
  await waitUntil(() => hasExited(child) || (tree.isReachable?.() ?? true), MAX_REACH_MS);
  tree.terminate();
  await waitUntil(() => hasExited(child) && !tree.isAlive(), graceMs);
  tree.kill();
  if (await waitUntil(() => hasExited(child) && !tree.isAlive(), MAX_DEATH_MS)) return;
  signalGroup(pid, 'SIGKILL');
}

async function drain({ child, closed, output, tree }: StartedChild): Promise<void> {
  let isClosed = false;
  const closing = closed.then(() => {
    isClosed = true;
  });
  const deadline = performance.now() + MAX_DRAIN_MS;
  for (let seen = -1; !isClosed && performance.now() < deadline;) {
    seen = output.pieceCount;
    await inTime(closing, QUIET_MS, () => undefined);
    // A listener can have blocked this thread for the whole time. Two turns of the event loop read
    // the waiting data.
    await turnTwice();
    if (seen === output.pieceCount) break;
  }
  tree.kill();
  if (isClosed) return;
  await inTime(closing, QUIET_MS, () => undefined);
  for (const stream of child.stdio) stream?.destroy();
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Returns the exit code, or 128 plus the signal's number as a shell does. */
export function shellExitCode({ code, signal }: Exit): number {
  if (code !== null) return code;
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}
