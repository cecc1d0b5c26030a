/** Owns looking, again and again, for chats that have work and no worker. */
import type { TurnPorts } from './turn-ports.ts';

/** A look that goes on until it is stopped. */
export interface SweepForWork {
  /** Stops, and waits for the look under way. */
  stop(): Promise<void>;
}

/** Looks now and then every `sweepMs`; `found` is told of all that need a worker, the longest untouched first. */
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
        message: 'The database could not be asked for work; it is asked again.',
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
