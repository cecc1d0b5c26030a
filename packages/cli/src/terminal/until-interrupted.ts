/** Graceful stop of resumable work at the first signal. A second signal exits the process. */
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';

/** Runs the work with an abort signal for SIGINT and SIGTERM. */
export async function untilInterrupted<TResult>(
  subject: 'batch' | 'comparison',
  work: (signal: AbortSignal) => Promise<TResult>,
): Promise<TResult> {
  const controller = new AbortController();
  const onSignal = (processSignal: NodeJS.Signals): void =>
    controller.abort(
      new InterruptedError(
        `${processSignal} stopped the ${subject}. Finished results are kept. To continue, start the same command again.`,
        { processSignal },
      ),
    );
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}
