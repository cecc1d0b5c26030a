/** Log filter: a warning that every turn reports is logged once an hour. */
import type { RunnerEvent } from '../runner/turn-ports.ts';

const HOUR_MS = 3_600_000;
const MAX_REMEMBERED = 1_000;

/** Drops repetitions of a warning within an hour: each turn of each chat reports it. */
export function onceAnHour(
  log: (event: RunnerEvent) => void,
  now: () => number = () => performance.now(),
): (event: RunnerEvent) => void {
  const loggedMs = new Map<string, number>();
  return (event) => {
    if (event.isRepeated !== true) return log(event);
    const nowMs = now();
    if (nowMs - (loggedMs.get(event.message) ?? -HOUR_MS) < HOUR_MS) return;
    if (loggedMs.size >= MAX_REMEMBERED) loggedMs.clear();
    loggedMs.set(event.message, nowMs);
    log(event);
  };
}
