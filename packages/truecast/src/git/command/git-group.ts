/**
 * Group of git calls that one shell starts. Each call waits for its input.
 *
 * The start of a process copies the page tables of its parent. That takes milliseconds in Node with
 * its heap, and a fraction of one in a shell.
 *
 * start -> every call waits -> run(input) -> ... -> disposed: the other calls read an empty input
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';
import { groupTree, trackTree } from '../../process/process-tree.ts';
import { createLineSplitter } from '../../support/split-lines.ts';
import { git, timeoutError, type GitResult } from './git.ts';
import { ERRORS_FILE, FIRST_INPUT, groupScript, outputFile, type GroupedCall } from './git-group-script.ts';
import { isWorktreeRace } from './worktree-race.ts';

export interface GroupedGit {
  /** Resolves when git can accept more. Data for a call that has ended is dropped. */
  write(data: Uint8Array): Promise<void>;
  /**
   * Sends the rest of the input and returns the result. Starts the group if it has not started.
   *
   * @throws RepositoryError `timeout`, or `git-failed` without a result; the signal's reason
   */
  run(input: string): Promise<GitResult>;
  /** Ends the input. */
  abandon(): void;
}

export interface GitGroup extends AsyncDisposable {
  /** Starts all calls, if they have not started. Throws nothing: `run` reports a failure. */
  start(): void;
  call(name: string): GroupedGit;
}

/** Maximum size of a call's stdout. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Creates a group. Nothing is started yet. Choose calls that change nothing without input.
 *
 * @param folder existing folder for the calls' outputs, which no guest can write
 */
export function gitGroup(folder: string, calls: readonly GroupedCall[]): GitGroup {
  let running: RunningGroup | undefined;
  let isDisposed = false;
  const start = (): RunningGroup => (running ??= startGroup(folder, calls));
  return {
    start() {
      if (!isDisposed) start();
    },
    call(name) {
      const index = calls.findIndex((call) => call.name === name);
      const input = (): Writable | undefined => start().inputs[index];
      let isStreamed = false;
      return {
        async write(data) {
          isStreamed = true;
          const { ended } = start();
          const pipe = input();
          if (pipe === undefined || pipe.destroyed || pipe.write(data)) return;
          await drained(pipe, Promise.race([start().codes.get(name), ended]));
        },
        async run(text) {
          input()?.end(text);
          const call = calls[index];
          if (call === undefined) throw noResult(name, undefined);
          const result = await resultOf(start(), call, folder);
          return isStreamed || !isWorktreeRace(call.args, result) ? result : repeat(call, text);
        },
        abandon() {
          if (running !== undefined) input()?.end();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      for (const input of running?.inputs ?? []) input.end();
      await running?.ended;
    },
  };
}

interface RunningGroup {
  readonly inputs: readonly Writable[];
  /** Exit codes. Undefined for a call that never ended. */
  readonly codes: ReadonlyMap<string, Promise<number | undefined>>;
  /** Resolves after the shell has exited. Returns its failure. */
  readonly ended: Promise<unknown>;
  kill(): void;
}

function startGroup(folder: string, calls: readonly GroupedCall[]): RunningGroup {
  const { script, env } = groupScript(calls);
  const inputs = calls.map(() => 'pipe' as const);
  let child: ChildProcess;
  try {
    child = withPrivateDescriptors(FIRST_INPUT + inputs.length, (covers) =>
      spawn('/bin/sh', ['-c', script, 'sh', folder], {
        cwd: folder,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore', ...inputs, ...covers],
      }),
    );
  } catch (error) {
    const codes = new Map(calls.map(({ name }) => [name, Promise.resolve(undefined)]));
    return { inputs: [], codes, ended: Promise.resolve(error), kill: () => undefined };
  }
  return watch(child, calls);
}

function watch(child: ChildProcess, calls: readonly GroupedCall[]): RunningGroup {
  const tree = groupTree(child.pid ?? 0);
  const untrack = child.pid === undefined ? () => undefined : trackTree(tree);
  let hasEnded = false;
  const ended = new Promise<unknown>((resolve) => {
    child.once('error', resolve);
    child.once('close', () => resolve(undefined));
  }).finally(() => {
    hasEnded = true;
    untrack();
  });
  const waiting = new Map(calls.map(({ name }) => [name, Promise.withResolvers<number | undefined>()]));
  const lines = createLineSplitter((line) => {
    const [name = '', code] = line.split(' ');
    waiting.get(name)?.resolve(Number(code));
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  void ended.then(() => {
    for (const one of waiting.values()) one.resolve(undefined);
  });
  const inputs = child.stdio
    .slice(FIRST_INPUT, FIRST_INPUT + calls.length)
    .filter((pipe) => pipe instanceof Writable);
  // A call that ends without reading its input breaks the pipe.
  for (const input of inputs) input.on('error', () => undefined);
  return {
    inputs,
    codes: new Map([...waiting].map(([name, { promise }]) => [name, promise])),
    ended,
    kill() {
      if (!hasEnded && child.pid !== undefined) tree.kill();
    },
  };
}

/** A timeout or an abort kills the whole group, because its work has failed. */
async function resultOf(group: RunningGroup, call: GroupedCall, folder: string): Promise<GitResult> {
  const { timeoutMs, signal } = call.options;
  const stopped = Promise.withResolvers<never>();
  const timer = setTimeout(() => stopped.reject(timeoutError(call.args, timeoutMs)), timeoutMs);
  const onAbort = (): void => stopped.reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    const exitCode = await Promise.race([group.codes.get(call.name), stopped.promise]);
    if (exitCode === undefined) throw noResult(call.name, await group.ended);
    const stderr = exitCode === 0 ? '' : readTail(join(folder, ERRORS_FILE));
    return { exitCode, stdout: call.hasOutput === true ? readOutput(folder, call) : '', stderr };
  } catch (error) {
    group.kill();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Runs a call outside of its group, with its whole input. */
function repeat({ args, options, takesArgument = false }: GroupedCall, text: string): Promise<GitResult> {
  if (!takesArgument) return git(args, { ...options, input: text });
  const [argument = '', ...rest] = text.split('\n');
  return git([...args, argument], { ...options, input: rest.join('\n') });
}

function readOutput(folder: string, { name }: GroupedCall): string {
  const path = join(folder, outputFile(name));
  if (statSync(path).size <= MAX_OUTPUT_BYTES) return readFileSync(path, 'utf8');
  throw noResult(name, 'its output exceeds the limit');
}

function readTail(path: string): string {
  return readFileSync(path).subarray(-MAX_ERROR_BYTES).toString('utf8');
}

function noResult(name: string, cause: unknown): RepositoryError {
  return new RepositoryError(
    `A git call of the hand-over (\`${name}\`) could not be run. Check that git and \`/bin/sh\` work, then run again.`,
    { code: 'git-failed', cause },
  );
}

/** Waits until a stream can accept more, or the call has ended. */
export async function drained(stream: NodeJS.WritableStream, ended: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([once(stream, 'drain', { signal: waiting.signal }).catch(() => undefined), ended]);
  waiting.abort();
}
