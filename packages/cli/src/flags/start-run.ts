/** Start of a run by a command, which exits with the code of the run's error after a signal. */
import { run } from 'truecast/internal/run/run';
import type { AnyRunOptions, AnyRunResult } from 'truecast/internal/run/options/read-only';

/** Starts the run that the options describe. */
export function startRun(options: AnyRunOptions): Promise<AnyRunResult> {
  return keepingExitCode<AnyRunResult>(async () =>
    options.readOnly === true
      ? await run({ ...options, readOnly: true })
      : await run({ ...options, readOnly: false }),
  );
}

/**
 * The signal listener keeps the process alive. The interrupted run then fails with its error, and
 * the command exits with the code of that error.
 */
export async function keepingExitCode<TResult>(work: () => Promise<TResult>): Promise<TResult> {
  const listener = (): void => undefined;
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, listener);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.off(signal, listener);
  }
}
