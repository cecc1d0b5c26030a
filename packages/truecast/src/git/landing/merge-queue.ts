/** Queue of checked merges into one branch, for all processes. */
import { withLock } from '../command/lock.ts';

export interface MergeQueueOptions {
  readonly commonDir: string;
  /** Branch that moves. */
  readonly into: string;
  /** Command of the holder, for other processes. */
  readonly command: string;
  /** Ends the wait. Its time is not limited otherwise, because each check takes what it takes. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs one checked merge at a time. It does not hold the lock of merges. Without the queue, each landing
 * would make the checks of all others useless.
 */
export function inMergeQueue<TResult>(
  { commonDir, into, command, signal }: MergeQueueOptions,
  work: () => Promise<TResult>,
): Promise<TResult> {
  return withLock(
    {
      commonDir,
      key: `merge-queue:${into}`,
      subject: 'The queue of checked merges',
      command,
      now: new Date(),
      waitMs: Number.POSITIVE_INFINITY,
      signal,
    },
    work,
  );
}
