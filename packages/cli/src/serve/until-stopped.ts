/**
 * Signal handling of server processes: the first signal shuts down gracefully, the second exits at
 * once.
 */
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Resolves at the first signal. A second one exits at once with 128 plus the signal's number. No
 * data is lost.
 */
export function untilStopped(onSecond: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (isStopping) {
          onSecond();
          process.exit(128 + constants.signals[signal]);
        }
        isStopping = true;
        resolve(signal);
      });
    }
  });
}
