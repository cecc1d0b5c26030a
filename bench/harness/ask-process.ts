/**
 * Requests to a contestant in a separate process: one at a time, with a timeout after which its
 * process group is killed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { isolatedEnvironment } from './isolated-home.ts';

/** The process of a contestant ended without a reply. */
export class ContestantCrash extends Error {
  override readonly name = 'ContestantCrash';
}

export interface ContestantProcess {
  /**
   * Sends a request and resolves to the reply. Resolves to undefined if no reply came within
   * `timeoutMs`. The process has then been killed.
   *
   * @throws ContestantCrash
   */
  ask<TReply>(request: unknown, timeoutMs: number): Promise<TReply | undefined>;
  readonly isAlive: () => boolean;
  stop(): Promise<void>;
}

/**
 * Starts `file` with an IPC channel and its home in `home`, as the leader of a new process group.
 */
export function startContestant(file: URL, args: readonly string[], home: string): ContestantProcess {
  const child = spawn(process.execPath, ['--expose-gc', file.pathname, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: isolatedEnvironment(home),
    cwd: home,
    detached: true,
  });
  const name = args[0] ?? basename(file.pathname, '.ts');
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  // Without a listener, a failed send ends the bench. The exit rejects the request.
  child.on('error', () => undefined);
  return {
    isAlive,
    ask: async <TReply>(request: unknown, timeoutMs: number) => {
      if (!isAlive()) throw crashOf(name, child);
      return ask<TReply>(name, child, { request, timeoutMs });
    },
    stop: async () => {
      if (isAlive()) await killGroup(child);
    },
  };
}

async function ask<TReply>(
  name: string,
  child: ChildProcess,
  { request, timeoutMs }: { readonly request: unknown; readonly timeoutMs: number },
): Promise<TReply | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<TReply | undefined>();
  const onMessage = (message: unknown): void => resolve(message as TReply); // Both ends of the channel are files of this bench.
  const onExit = (): void => reject(crashOf(name, child));
  const timer = setTimeout(() => resolve(undefined), timeoutMs);
  child.once('message', onMessage).once('exit', onExit);
  child.send(request as object); // Every caller passes an object literal.
  try {
    const reply = await promise;
    child.off('exit', onExit);
    if (reply === undefined) await killGroup(child);
    return reply;
  } finally {
    clearTimeout(timer);
    child.off('message', onMessage).off('exit', onExit);
  }
}

function crashOf(name: string, { exitCode, signalCode }: ChildProcess): ContestantCrash {
  const end = signalCode ?? `exit code ${exitCode}`;
  return new ContestantCrash(`The contestant \`${name}\` ended with ${end} before it replied.`);
}

async function killGroup(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await exited;
}
