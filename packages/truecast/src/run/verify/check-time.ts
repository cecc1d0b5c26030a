/** Time limit of a check: one that does not end in time has failed, and its commands are ended. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { untilAborted } from '@truecast/core/internal/kit/until-aborted';
import { runInTime } from '../../process/bounded-waits.ts';

/** Limit of each call of a check. */
export interface CheckLimit {
  /** Signal of the run or the merge. */
  readonly signal: AbortSignal;
  readonly checkMs: number;
}

/**
 * Runs a check with a signal for its commands. Returns its verdict, or at its limit the reason of the
 * refusal. A check that ignores the signal is not waited for, also after an abort.
 */
export async function checkInTime<T>(
  check: (signal: AbortSignal) => T | Promise<T>,
  { signal, checkMs }: CheckLimit,
): Promise<T | string> {
  const late = new RepositoryError(
    `The check did not end within ${checkMs / 1_000} s. Find out why, or raise \`timeouts.checkMs\`.`,
    { code: 'check-failed' },
  );
  try {
    return await runInTime(
      (inTime) => untilAborted((async () => check(inTime))(), inTime),
      { signal, timeoutMs: checkMs },
      () => late,
    );
  } catch (error) {
    if (error === late) return late.message;
    throw error;
  }
}
