/** Owns waiting for the end of a process that serves: the first signal asks it to leave in order, the second ends it at once. */
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Resolves at the first signal. A second one exits at once with 128 plus its number: nothing is lost by that but time. */
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
