/**
 * Sandbox handle wrapper: passes the worktree as `cwd` to every command, and stops waiting for a
 * command on abort.
 *
 * abort → `exec` rejects with the reason → a command that the sandbox cannot stop continues →
 * `close()` of the handle ends it
 */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { checkedExec, notText } from './checked-results.ts';
import { inTime } from '../../process/bounded-waits.ts';
import { overrideHandle } from './override-handle.ts';
import type { OwnGitHandle } from '../../ports/own-git.ts';
import type { SandboxExecOptions, SandboxExecResult, SandboxHandle } from '../../ports/sandbox-provider.ts';

/** A handle whose commands can always be stopped. */
export interface StoppableHandle extends OwnGitHandle {
  /** True if an aborted command still runs. Only `close()` can end it. */
  isHung(): boolean;
}

interface Overrides {
  exec: SandboxHandle['exec'];
  isHung: StoppableHandle['isHung'];
  close: SandboxHandle['close'];
  interactiveExec?: NonNullable<SandboxHandle['interactiveExec']>;
}

/** Closing of a provider's handle. */
export interface ClosingOptions {
  /** A handle that is not closed after this time is left behind with a warning. */
  readonly timeoutMs: number;
  readonly warn: (message: string) => void;
  /** Frees its resources on the host. */
  readonly afterClose: () => Promise<void>;
}

/**
 * Wraps a provider's handle.
 *
 * A handle with `streamsChunks` ends its commands itself. Any other can ignore `signal`, so its
 * commands are raced against it.
 */
export function stoppableHandle(
  name: string,
  handle: SandboxHandle,
  { timeoutMs, warn, afterClose }: ClosingOptions,
): StoppableHandle {
  const { interactiveExec } = handle;
  const abandoned = new Set<Promise<unknown>>();
  const race = handle.streamsChunks === true ? endsItself : raceWith(abandoned);
  let isClosed = false;
  const inWorktree = <T extends { readonly cwd?: string }>(options: T): T & { cwd: string } => ({
    ...options,
    cwd: options.cwd ?? handle.worktreePath,
  });
  const overrides: Overrides = {
    exec: async (command, options = {}) => {
      if (isClosed) throw closedError(name);
      if (handle.streamsChunks === true) return handle.exec(command, inWorktree(options));
      const thrown = new Set<unknown>();
      let hasHeard = false;
      const onHeard = (): void => void (hasHeard = true);
      const exec = (isHeard: () => boolean): Promise<SandboxExecResult> =>
        handle.exec(command, inWorktree(heardOnly(options, { name, isHeard, onHeard, thrown })));
      const isOurs = (error: unknown): boolean =>
        thrown.has(error) || (options.signal?.aborted === true && error === options.signal.reason);
      const result = await checkedExec(name, () => race(options.signal, exec), isOurs);
      if (!hasHeard) tellLate(result, options);
      return result;
    },
    isHung: () => abandoned.size > 0,
    close: async () => {
      isClosed = true;
      try {
        await inTime(
          settling(() => handle.close()),
          timeoutMs,
          () => warn(notClosed(name, timeoutMs)),
        );
      } finally {
        await afterClose();
      }
    },
    ...(interactiveExec !== undefined && {
      interactiveExec: async (args, options) => {
        if (isClosed) throw closedError(name);
        return race(options.signal, () => interactiveExec.call(handle, args, inWorktree(options)));
      },
    }),
  };
  return overrideHandle(handle, overrides);
}

type Race = <T>(signal: AbortSignal | undefined, start: (isHeard: () => boolean) => Promise<T>) => Promise<T>;

const endsItself: Race = (_signal, start) => start(() => true);

function raceWith(abandoned: Set<Promise<unknown>>): Race {
  return async (signal, start) => {
    signal?.throwIfAborted();
    let isHeard = true;
    const running = settling(() => start(() => isHeard));
    if (signal === undefined) return running;
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => {
      isHeard = false;
      abandoned.add(running);
      void running.catch(() => undefined).then(() => abandoned.delete(running));
      // The caller's own reason, of any type.
      aborted.reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([running, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  };
}

/** Returns a real promise, also for a provider that throws at once, or returns another thenable. */
async function settling<T>(task: () => Promise<T>): Promise<T> {
  return task();
}

interface Hearing {
  readonly name: string;
  readonly isHeard: () => boolean;
  readonly onHeard: () => void;
  /** Collects the errors of the listener, which its caller gets unchanged. */
  readonly thrown: Set<unknown>;
}

/** Drops the output of an abandoned command, which no caller reads. */
function heardOnly(
  options: SandboxExecOptions,
  { name, isHeard, onHeard, thrown }: Hearing,
): SandboxExecOptions {
  const { onLine } = options;
  if (onLine === undefined) return options;
  return {
    ...options,
    onLine: (line: unknown) => {
      if (!isHeard()) return;
      onHeard();
      if (typeof line !== 'string') throw notText(name, line);
      try {
        onLine(line);
      } catch (error) {
        thrown.add(error);
        throw error;
      }
    },
  };
}

/** A provider can return the output only at the end, without one call of `onLine`. */
function tellLate({ stdout }: SandboxExecResult, { onLine }: SandboxExecOptions): void {
  if (onLine === undefined || stdout === '') return;
  for (const line of stdout.replace(/\r?\n$/u, '').split(/\r?\n/u)) onLine(line);
}

function notClosed(name: string, timeoutMs: number): string {
  return `The sandbox \`${name}\` did not close within ${timeoutMs} ms. Its processes might still run: stop them by hand, or raise \`timeouts.sandboxCloseMs\`.`;
}

function closedError(name: string): SandboxError {
  return new SandboxError(`The sandbox \`${name}\` is closed. Start a new one to run a command.`, {
    code: 'exec',
  });
}
