/** Times that move on: a relative time and a countdown, with the exact time as their title. */
import { useEffect, useState, type ReactNode } from 'react';
import { clockTime, exactTime, relativeTime, remainingTime } from './format.ts';

/** Returns the present time, and renders again in this interval. */
function useNow(refreshMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), refreshMs);
    return () => clearInterval(timer);
  }, [refreshMs]);
  return nowMs;
}

export function RelativeTime({ at }: { readonly at: string }): ReactNode {
  const nowMs = useNow(30_000);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, nowMs)}
    </time>
  );
}

/** Renders the time since the start, such as `0:42`. It changes too often to be announced. */
export function Elapsed({ since }: { readonly since: string }): ReactNode {
  const nowMs = useNow(1_000);
  const elapsed = remainingTime(
    new Date(Math.max(nowMs, Date.parse(since) + 1_000)).toISOString(),
    Date.parse(since),
  );
  return (
    <time dateTime={since} title={exactTime(since)} className="text-xs text-muted tabular-nums">
      {elapsed}
    </time>
  );
}

/** Renders the time that is left. Screen readers get the deadline, which does not change. */
export function Countdown({ until }: { readonly until: string }): ReactNode {
  const left = remainingTime(until, useNow(1_000));
  return (
    <time dateTime={until} title={exactTime(until)} role="timer" aria-label={`until ${clockTime(until)}`}>
      {left === undefined ? `The deadline was ${clockTime(until)}.` : `${left} left`}
    </time>
  );
}
