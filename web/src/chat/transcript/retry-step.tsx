/** Step of a turn whose model call failed: the reason, and the seconds until the call is repeated. */
import { useEffect, useState, type ReactNode } from 'react';
import { CodeText } from '../../parts/code/code-text.tsx';
import type { RetryEvent } from '@truecast/client/internal/wire/stream-event';
import { plural } from '../../parts/format.ts';

const REFRESH_MS = 250;
/** Advice to a reader who repeats the call. Here the server repeats it. */
const ADVICE = / Try again\b[^.]*\.$/u;

/** Renders the step. Screen readers get one announcement for each failed call. */
export function RetryStep({ retry }: { readonly retry: RetryEvent }): ReactNode {
  const { attempt, retry_at: at, delay_ms: delayMs, error } = retry;
  const seconds = useSecondsUntil(at, delayMs);
  const reason = error.status_code ?? error.kind.replaceAll('_', ' ');
  return (
    <div className="border-l-2 border-warn px-4 py-1 text-warn">
      <p role="status" className="sr-only">{`${reason}, retrying`}</p>
      <p className="font-medium" aria-hidden="true">
        {seconds > 0 ? `${reason}, retrying in ${seconds} s` : `${reason}, retrying now`}
      </p>
      <p className="text-sm">
        <CodeText text={error.message.replace(ADVICE, '')} /> {plural(attempt, 'call')} failed.
      </p>
    </div>
  );
}

/** The delay bounds the count: the clocks of the server and of this page can differ. */
function useSecondsUntil(at: string, delayMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return Math.ceil(Math.min(Date.parse(at) - nowMs, delayMs) / 1_000);
}
