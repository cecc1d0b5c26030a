/** Manual clock for tests of the pacing: time passes only by `advance`, which runs the due work. */
import type { PacingClock } from './model-pacing.ts';

/** A clock whose time a test sets. */
export interface ManualClock extends PacingClock {
  /** Lets time pass, and runs the work that is due at its own time. */
  advance(byMs: number): void;
  /** Number of timers that run. */
  readonly timers: number;
}

export function manualClock(): ManualClock {
  let nowMs = 0;
  const due = new Map<object, { readonly atMs: number; readonly work: () => void }>();
  return {
    now: () => nowMs,
    after: (delayMs, work) => {
      const key = {};
      due.set(key, { atMs: nowMs + delayMs, work });
      return () => void due.delete(key);
    },
    advance: (byMs) => {
      const endMs = nowMs + byMs;
      for (;;) {
        const [next] = [...due]
          .filter(([, { atMs }]) => atMs <= endMs)
          .toSorted(([, a], [, b]) => a.atMs - b.atMs);
        if (next === undefined) break;
        const [key, { atMs, work }] = next;
        due.delete(key);
        nowMs = atMs;
        work();
      }
      nowMs = endMs;
    },
    get timers() {
      return due.size;
    },
  };
}
