/** Wait for the reset of a rate or usage limit, within the run's maximum of all waits. */
import { setTimeout as delay } from 'node:timers/promises';

/** Time source, replaced in tests. */
export interface LimitClock {
  now(): number;
  /** Rejects if the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface LimitWait {
  /**
   * Plans the next wait. Undefined if it would exceed the maximum.
   *
   * @param resetsAt - undefined if the agent did not report it: the waits then grow from 1 to 30
   *   minutes
   */
  plan(resetsAt: Date | undefined): Date | undefined;
  /** Waits until `time`. Rejects with the signal's reason. */
  waitUntil(time: Date, signal: AbortSignal): Promise<void>;
}

const SYSTEM_CLOCK: LimitClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

/** Wait after a limit without a reset time. */
const UNKNOWN_RESET_MS = 60_000;
/** Wait after a reset time that has passed already, so that the agent is not restarted in a loop. */
const PAST_RESET_MS = 1000;
const LONGEST_BACKOFF_MS = 30 * 60_000;
/** Node timers longer than 2^31 ms fire immediately. */
const LONGEST_SLEEP_MS = 24 * 3_600_000;

export function createLimitWait(maxWaitMs: number, clock: LimitClock = SYSTEM_CLOCK): LimitWait {
  let waits = 0;
  let waitedMs = 0;
  return {
    plan(resetsAt) {
      const first = resetsAt === undefined ? UNKNOWN_RESET_MS : PAST_RESET_MS;
      const backoffMs = Math.min(first * 2 ** waits, LONGEST_BACKOFF_MS);
      const waitMs = Math.max(backoffMs, (resetsAt?.getTime() ?? 0) - clock.now());
      if (waitedMs + waitMs > maxWaitMs) return undefined;
      waits += 1;
      waitedMs += waitMs;
      return new Date(clock.now() + waitMs);
    },
    async waitUntil(time, signal) {
      for (;;) {
        signal.throwIfAborted();
        const leftMs = time.getTime() - clock.now();
        if (leftMs <= 0) return;
        // Ignored: the check above throws the reason of the abort, which this error hides.
        await clock.sleep(Math.min(leftMs, LONGEST_SLEEP_MS), signal).catch(() => undefined);
      }
    },
  };
}
