/** Streaming process: a program whose stdout is read as bytes, at the reader's pace. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';
import { groupTree, trackTree } from './process-tree.ts';
import { writePipe } from './write-pipe.ts';

/** A program and its inputs. */
export interface SpawnStreamOptions {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Host file that is open in the program at its file descriptor 3. */
  readonly inheritedFile?: string | undefined;
  /** Start of a text that the program reads from its stdin. `send` writes the rest. @default none */
  readonly stdin?: string | undefined;
  /** Text that the program reads from a pipe at the file descriptor after that. */
  readonly pipedText?: string | undefined;
  /** Open descriptors that the program gets after those. */
  readonly inheritedDescriptors?: readonly number[] | undefined;
  /** Called as soon as the program has its descriptors, or could not be started. */
  readonly afterStart?: (() => void) | undefined;
  /** Called with the program's process id, and awaited before the program gets that text. */
  readonly beforePipedText?: (pid: number) => Promise<void>;
  /** Kills the processes that the program started elsewhere, for example in a container. */
  readonly onKill?: () => void;
}

/** A running program. */
export interface SpawnedStream {
  readonly stdout: Readable;
  /** Resolves after the program has exited and its output is read. Never rejects. */
  readonly ended: Promise<{ readonly exitCode: number; readonly stderrTail: string }>;
  /** Writes the rest of the program's stdin. Needs `stdin`. No error if the program has exited. */
  send(text: string): void;
  /** Kills the program's process group at once. No error if it has exited. */
  kill(): void;
}

const MAX_STDERR_CHARS = 2_000;

/**
 * Starts a program in its own process group. The group is killed when this process exits.
 *
 * @throws SandboxError `exec` if the program cannot be started
 */
export async function spawnStream(options: SpawnStreamOptions): Promise<SpawnedStream> {
  const { file, onKill } = options;
  const child = startChild(options);
  writePipe(child, options);
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw cannotStart(file, 'no pipes');
  // A program that exits without reading it breaks the pipe.
  child.stdin?.on('error', () => undefined);
  child.stdin?.write(options.stdin ?? '');
  let stderrTail = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderrTail = (stderrTail + chunk).slice(-MAX_STDERR_CHARS);
  });
  // Read from the start, because Node discards unread output when a process exits.
  const bytes = stdout.pipe(new PassThrough());
  stdout.on('error', (error) => bytes.destroy(error));
  bytes.on('error', () => undefined);
  bytes.on('close', () => stdout.destroy());
  const ended = new Promise<{ exitCode: number; stderrTail: string }>((resolve) => {
    child.once('close', (code) => resolve({ exitCode: code ?? 128, stderrTail }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(cannotStart(file, cause)));
  });
  const tree = groupTree(child.pid ?? 0);
  const untrack = trackTree(tree);
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
    untrack();
  });
  return {
    stdout: bytes,
    ended,
    send: (text) => child.stdin?.end(text),
    kill() {
      if (hasEnded) return;
      onKill?.();
      tree.kill();
    },
  };
}

function startChild(options: SpawnStreamOptions): ChildProcess {
  const { file, args, env, inheritedFile, pipedText, inheritedDescriptors = [], stdin } = options;
  const inherited = inheritedFile === undefined ? undefined : openSync(inheritedFile, 'r');
  const given = [
    ...([stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const),
    ...(inherited === undefined ? [] : [inherited]),
    ...(pipedText === undefined ? [] : (['pipe'] as const)),
    ...inheritedDescriptors,
  ];
  try {
    const detached = process.platform !== 'win32';
    return withPrivateDescriptors(given.length, (covers) =>
      spawn(file, args, { cwd: '/', env, detached, stdio: [...given, ...covers] }),
    );
  } finally {
    if (inherited !== undefined) closeSync(inherited);
    options.afterStart?.();
  }
}

function cannotStart(file: string, cause: unknown): SandboxError {
  return new SandboxError(
    `Cannot start \`${file}\`. Read the error's \`cause\` for the message of the operating system.`,
    {
      code: 'exec',
      cause,
    },
  );
}
