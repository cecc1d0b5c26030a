/** Strip above the page while the server does not answer. After a reconnect, all lists are read again. */
import { useEffect, useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { probeConnection, useLostAt } from '../session/connection.ts';

const RETRY_SECONDS = 3;

/** Renders the strip, or nothing. */
export function ConnectionStrip(): ReactNode {
  const lostAt = useLostAt();
  return lostAt === undefined ? null : <Strip />;
}

function Strip(): ReactNode {
  const queries = useQueryClient();
  const [seconds, setSeconds] = useState(RETRY_SECONDS);
  useEffect(() => () => void queries.invalidateQueries(), [queries]);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((left) => (left <= 1 ? RETRY_SECONDS : left - 1)), 1_000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (seconds === RETRY_SECONDS) void probeConnection();
  }, [seconds]);
  return (
    <aside
      aria-label="Connection"
      data-strip=""
      className="sticky top-0 z-10 flex min-h-[47px] flex-wrap items-center justify-center gap-x-3 rounded-t-xl border-b border-warn-edge bg-warn-soft px-4 py-1.5 text-warn"
    >
      <p role="status" className="font-medium">
        Connection lost.
      </p>
      <span>Retrying in {seconds} s.</span>
      <button className="button button-quiet text-warn underline" onClick={() => void probeConnection()}>
        Retry now
      </button>
    </aside>
  );
}
