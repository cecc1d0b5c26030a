/**
 * Registry of the commands that run in one sandbox. Closing it stops them, and no command starts
 * afterwards.
 */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';

export interface RunningCommands {
  /**
   * Starts `task` with a signal that aborts with the caller's signal or at `close`.
   *
   * @throws SandboxError `exec` if the sandbox is closed before or during the task
   */
  run<T>(task: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * Stops running commands, waits for them, then calls `free` once. A second call waits for the
   * first.
   */
  close(): Promise<void>;
}

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
        const message = `The sandbox \`${name}\` is closed. Start a new one to run a command.`;
        closing.abort(new SandboxError(message, { code: 'exec' }));
        await Promise.allSettled(running);
        await free();
      })();
      return closed;
    },
  };
}
