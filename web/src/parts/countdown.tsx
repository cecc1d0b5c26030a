/** Countdown to a deadline, with the exact time as its title. */
import { useEffect, useState, type ReactNode } from 'react';
import { clockTime, exactTime, remainingTime } from './format.ts';

const REFRESH_MS = 1_000;

/** Renders the time that is left. Screen readers get the deadline, which does not change. */
export function Countdown({ until }: { readonly until: string }): ReactNode {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const left = remainingTime(until, nowMs);
  return (
    <time dateTime={until} title={exactTime(until)} role="timer" aria-label={`until ${clockTime(until)}`}>
      {left === undefined ? `The deadline was ${clockTime(until)}.` : `${left} left`}
    </time>
  );
}
