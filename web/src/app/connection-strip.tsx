/** Strip above the page while the server cannot be reached. */
import { useEffect, useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { probeConnection, useLostAt } from '../session/connection.ts';

const RETRY_SECONDS = 3;

/** Renders the strip, or nothing. After a reconnect, all lists are read again. */
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
      className="sticky top-0 z-10 flex flex-wrap items-center justify-center gap-x-3 border-b border-warn bg-warn-soft px-4 py-1.5 text-warn"
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
