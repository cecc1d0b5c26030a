/**
 * Owns running commands on a machine that is reached by a service's API: with stdin, environment, streaming and an end of the whole
 * tree, where the service itself may know none of these.
 *
 * upload `run` and `stdin` → one short line starts them in a session of their own → its output as it comes → kill what is left
 */
import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { cut } from '../../../errors/describe-value.ts';
import { SandboxError } from '../../../errors/sandbox-error.ts';
import { quoteArgument } from '../../agents/shell-quote.ts';
import { collectOutput } from '../../process/collect-output.ts';
import type { SandboxExecOptions, SandboxExecResult } from '../sandbox-provider.ts';

/** What a service lets us do. */
export interface RemoteShell {
  readonly name: string;
  /** Runs a line in a shell to its end, and returns its exit code. */
  run(line: string, output: RemoteOutput): Promise<number>;
  /** Writes a file, making its folders. */
  upload(path: string, content: Uint8Array): Promise<void>;
}

/** Where the output of a line goes. */
export interface RemoteOutput {
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly isRoot: boolean;
}

/** Where commands run unless told. */
export interface RemotePlace {
  readonly cwd: string;
  /** Environment of every command. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder inside for our files. */
  readonly folder: string;
}

/** How long a tree that was asked to end is given, in tenths of a second. */
const GRACE_TENTHS = 20;

/**
 * Runs a command.
 *
 * @throws SandboxError `exec` when the machine cannot be reached; the signal's reason, once the tree is dead, on abort; a listener's own error
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
  const collected = collectOutput(output, options, (error) => ender.abort(error));
  const signal =
    options.signal === undefined ? ender.signal : AbortSignal.any([options.signal, ender.signal]);
  await upload(shell, place, folder, command, options);
  signal.throwIfAborted();
  const running = reach(shell, shell.run(launchLine(folder, id), output));
  const { promise: killed, resolve: onKilled } = Promise.withResolvers<undefined>();
  const onAbort = (): void => void endTree(shell, folder, id, output.isRoot).then(() => onKilled(undefined));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    // A connection that is gone does not tell the end of what was killed.
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

/** Runs a line of our own whose output is of no interest. */
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
    // Read by now: what follows may last, and its environment is nobody's to read.
    `rm -f -- ${quoteArgument(posix.join(folder, 'run'))}`,
    command,
    '',
  ].join('\n');
  await reach(shell, shell.upload(posix.join(folder, 'run'), Buffer.from(script)));
  await reach(shell, shell.upload(posix.join(folder, 'stdin'), Buffer.from(stdin)));
}

/** Finds the processes of a command, also those that left its session, by a mark in their environment. */
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
      `The sandbox \`${name}\` cannot be reached: ${why} Look at its service's status page and your limits there.`,
      {
        code: 'exec',
        cause,
      },
    );
  }
}
