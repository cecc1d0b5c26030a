/** Relative time with the exact time as its title. */
import { useEffect, useState, type ReactNode } from 'react';
import { exactTime, relativeTime } from './format.ts';

const REFRESH_MS = 30_000;

/** Renders the time, and updates it. */
export function RelativeTime({ at }: { readonly at: string }): ReactNode {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, nowMs)}
    </time>
  );
}
