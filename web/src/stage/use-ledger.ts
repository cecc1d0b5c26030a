/** Events of a run: all that exist, and new ones while it is open. */
import { useEffect, useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import {
  ledgerEventPageView,
  type EnsembleRunView,
  type LedgerEventPageView,
  type LedgerEventView,
} from '@truecast/client/internal/wire/ensemble';
import { useSession } from '../session/session.tsx';

/** Seconds for which the server waits for an event. */
const WAIT_SECONDS = 20;
/** Time before a failed request is repeated. */
const RETRY_MS = 3_000;

/** The known part of a run. */
export interface StagedRun {
  readonly run: EnsembleRunView | undefined;
  readonly events: readonly LedgerEventView[];
  readonly isPending: boolean;
  readonly error: Error | null;
  /** True while the next event of an open run is requested. */
  readonly isLive: boolean;
  readonly retry: () => void;
}

interface Position {
  readonly after: string;
  readonly wait: number;
}

const START: Position = { after: '', wait: 0 };

/** Reads a run page by page, and follows its end. */
export function useLedger(runId: string): StagedRun {
  const { call } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['ledger', runId],
    queryFn: ({ signal, pageParam: { after, wait } }) => {
      const parameters = toQuery({ after: after || undefined, wait: wait || undefined });
      const path = `/api/ensembles/runs/${encodeURIComponent(runId)}/events${parameters}`;
      return call({ method: 'GET', path, shape: ledgerEventPageView, signal });
    },
    initialPageParam: START,
    getNextPageParam: behind,
    // The pages of a run never change, and the last one is followed.
    staleTime: Infinity,
  });
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  useEffect(() => {
    if (!hasNextPage || isFetchingNextPage) return undefined;
    const timer = setTimeout(() => void fetchNextPage(), isFetchNextPageError ? RETRY_MS : 0);
    return () => clearTimeout(timer);
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const events = useMemo(() => data?.pages.flatMap((page) => page.events) ?? [], [data]);
  const run = data?.pages.at(-1)?.run;
  return {
    run,
    events,
    isPending: query.isPending,
    error: query.error,
    isLive: run !== undefined && run.ended_at === undefined && query.error === null,
    retry: () => void (data === undefined ? query.refetch() : fetchNextPage()),
  };
}

function behind(
  { run, events, next }: LedgerEventPageView,
  _pages: readonly LedgerEventPageView[],
  { after }: Position,
): Position | undefined {
  if (next !== undefined) return { after: next, wait: 0 };
  if (run.ended_at !== undefined) return undefined;
  return { after: String(events.at(-1)?.offset ?? after), wait: WAIT_SECONDS };
}
