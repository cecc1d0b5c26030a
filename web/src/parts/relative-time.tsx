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

/** Renders the time that is left. Screen readers get the deadline, which does not change. */
export function Countdown({ until }: { readonly until: string }): ReactNode {
  const left = remainingTime(until, useNow(1_000));
  return (
    <time dateTime={until} title={exactTime(until)} role="timer" aria-label={`until ${clockTime(until)}`}>
      {left === undefined ? `The deadline was ${clockTime(until)}.` : `${left} left`}
    </time>
  );
}
