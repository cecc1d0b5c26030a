/**
 * Command execution on a machine behind a service's API: stdin, environment, streaming and
 * termination of the whole process tree, even if the service supports none of these.
 *
 * upload `run` and `stdin` → one short line starts them in a new session → stream the output → kill
 * remaining processes
 */
import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { quoteArgument } from '../../support/shell-quote.ts';
import { collectOutput } from '../../process/collect-output.ts';
import type { SandboxExecOptions, SandboxExecResult } from '../../ports/sandbox-provider.ts';

/** Operations that a service must provide. */
export interface RemoteShell {
  readonly name: string;
  /** Runs a shell line until it exits, and returns its exit code. */
  run(line: string, output: RemoteOutput): Promise<number>;
  /** Writes a file, and creates its parent folders. */
  upload(path: string, content: Uint8Array): Promise<void>;
}

/** Streams for the output of a shell line. */
export interface RemoteOutput {
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly isRoot: boolean;
}

/** Defaults of commands on a machine. */
export interface RemotePlace {
  readonly cwd: string;
  /** Environment of every command. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder inside for temporary files. */
  readonly folder: string;
  /** Kept tail of streamed output, in UTF-16 units. @default 65536 */
  readonly maxTailChars?: number;
}

/** Grace period of a process tree after SIGTERM, in tenths of a second. */
const GRACE_TENTHS = 20;

/**
 * Runs a command.
 *
 * @throws SandboxError `exec` if the machine cannot be reached; the signal's reason on abort, after
 *   the process tree is dead; an error that a listener throws
 */
export async function runRemote(
  shell: RemoteShell,
  place: RemotePlace,
  command: string,
  options: SandboxExecOptions,
): Promise<SandboxExecResult> {
  options.signal?.throwIfAborted();
  const id = randomUUID();
  const folder = posix.join(place.folder, id);
  const ender = new AbortController();
  const output: RemoteOutput = {
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    isRoot: options.sudo === true,
  };
  const listeners =
    place.maxTailChars === undefined ? options : { ...options, maxTailChars: place.maxTailChars };
  const collected = collectOutput(output, listeners, (error) => ender.abort(error));
  const signal =
    options.signal === undefined ? ender.signal : AbortSignal.any([options.signal, ender.signal]);
  await upload(shell, place, folder, command, options);
  signal.throwIfAborted();
  const running = reach(shell, shell.run(launchLine(folder, id), output));
  const { promise: killed, resolve: onKilled } = Promise.withResolvers<undefined>();
  const onAbort = (): void => void endTree(shell, folder, id, output.isRoot).then(() => onKilled(undefined));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    // A lost connection does not report the end of killed processes.
    const exitCode = (await Promise.race([running, killed])) ?? 1;
    output.stdout.end();
    output.stderr.end();
    await Promise.all([finished(output.stdout), finished(output.stderr)]);
    const result = collected.end();
    signal.throwIfAborted();
    return { ...result, exitCode };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Runs an internal shell line and discards its output. */
export async function runLine(shell: RemoteShell, line: string, isRoot = false): Promise<number> {
  const output = { stdout: new PassThrough().resume(), stderr: new PassThrough().resume(), isRoot };
  return reach(shell, shell.run(line, output));
}

async function upload(
  shell: RemoteShell,
  place: RemotePlace,
  folder: string,
  command: string,
  { cwd, env, stdin = '' }: SandboxExecOptions,
): Promise<void> {
  const variables = Object.entries({ ...place.env, ...env });
  const script = [
    ...variables.map(([name, value]) => `export ${name}=${quoteArgument(value)}`),
    `cd -- ${quoteArgument(posix.resolve(place.cwd, cwd ?? '.'))} || exit 1`,
    // The shell has already read the script. Delete it, so that other processes cannot read its
    // environment while the command runs.
    `rm -f -- ${quoteArgument(posix.join(folder, 'run'))}`,
    command,
    '',
  ].join('\n');
  await reach(shell, shell.upload(posix.join(folder, 'run'), Buffer.from(script)));
  await reach(shell, shell.upload(posix.join(folder, 'stdin'), Buffer.from(stdin)));
}

/**
 * Finds all processes of a command by a marker in their environment, including those that left its
 * session.
 */
function findMarked(id: string): string {
  return `grep -lzs '^TRUECAST_COMMAND_ID=${id}$' /proc/[0-9]*/environ | cut -d/ -f3`;
}

function launchLine(folder: string, id: string): string {
  const at = quoteArgument(folder);
  return [
    `TRUECAST_COMMAND_ID=${id} setsid sh ${at}/run < ${at}/stdin & wait $!`,
    'code=$?',
    `kill -KILL $(${findMarked(id)}) 2>/dev/null`,
    `rm -rf -- ${at}`,
    'exit $code',
  ].join('; ');
}

function endTree(shell: RemoteShell, folder: string, id: string, isRoot: boolean): Promise<unknown> {
  const find = findMarked(id);
  const line = [
    `kill -TERM $(${find}) 2>/dev/null`,
    `n=0; while [ $n -lt ${GRACE_TENTHS} ] && [ -n "$(${find})" ]; do sleep 0.1; n=$((n+1)); done`,
    `kill -KILL $(${find}) 2>/dev/null; rm -rf -- ${quoteArgument(folder)}; :`,
  ].join('; ');
  return runLine(shell, line, isRoot).catch(() => undefined);
}

async function reach<T>({ name }: RemoteShell, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    if (SandboxError.isInstance(cause)) throw cause;
    const why = cut(cause instanceof Error ? cause.message : String(cause));
    throw new SandboxError(
      `The sandbox \`${name}\` cannot be reached: ${why} Check the status page of the service, and your limits there.`,
      {
        code: 'exec',
        cause,
      },
    );
  }
}
