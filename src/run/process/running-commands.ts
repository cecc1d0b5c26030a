/** Owns the commands that run in one sandbox, so that closing it ends them and none starts after. */
import { SandboxError } from '../../errors/sandbox-error.ts';

/** The commands of one sandbox. */
export interface RunningCommands {
  /**
   * Starts `task` with a signal that aborts with the caller's or at `close`.
   *
   * @throws SandboxError `exec` when the sandbox is closed, or is closed meanwhile
   */
  run<T>(task: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Ends what runs, waits for it, then calls `free` once; a second call waits for the first. */
  close(): Promise<void>;
}

/** Makes the empty set of commands of the sandbox `name`. */
export function createRunningCommands(name: string, free: () => Promise<void>): RunningCommands {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;
  return {
    async run(task, signal) {
      closing.signal.throwIfAborted();
      const promise = task(signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]));
      running.add(promise);
      try {
        return await promise;
      } finally {
        running.delete(promise);
      }
    },
    close() {
      closed ??= (async () => {
        const message = `The sandbox \`${name}\` is closed. Start another to run a command.`;
        closing.abort(new SandboxError(message, { code: 'exec' }));
        await Promise.allSettled(running);
        await free();
      })();
      return closed;
    },
  };
}
