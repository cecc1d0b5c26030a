/** Periodic sweep for chats that have work and no worker. */
import type { TurnPorts } from '../turn-ports.ts';

export interface SweepForWork {
  /** Stops and waits for the current sweep. */
  stop(): Promise<void>;
}

/**
 * Sweeps about every `sweepMs`. Calls `found` with all chats that need a worker, the longest
 * untouched first.
 */
export function sweepForWork(
  { machine, onEvent }: TurnPorts,
  sweepMs: number,
  found: (chatIds: readonly string[]) => void,
): SweepForWork {
  let looking: Promise<void> | undefined;
  let isStopped = false;
  const sweep = async (): Promise<void> => {
    try {
      const { runnable, expired } = await machine.sweep();
      if (!isStopped) found([...new Set([...runnable, ...expired])]);
    } catch (cause) {
      onEvent?.({
        level: 'warn',
        message: 'Could not query the database for work. The next sweep tries again.',
        cause,
      });
    }
  };
  const look = (): void => {
    looking ??= sweep().finally(() => {
      looking = undefined;
    });
  };
  look();
  const timer = setInterval(look, sweepMs);
  return {
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await looking;
    },
  };
}
