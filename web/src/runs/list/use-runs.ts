/** Runs of the list: both kinds, read page by page in one order, and merged. */
import {
  keepPreviousData,
  useInfiniteQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import {
  agentRunPageView,
  type AgentRunPageView,
  type AgentRunStatus,
} from '@truecast/client/internal/wire/runs/agent-run';
import { runPageView, type RunPageView } from '@truecast/client/internal/wire/kept-run';
import { useAddressFilters } from '../../parts/list/select-field.tsx';
import { serverOrder, type ServerOrder } from '../../parts/list/table-order.ts';
import { useScopes } from '../../session/pages.ts';
import { useSession } from '../../session/session.tsx';
import { mergeRuns } from './merge-runs.ts';
import type { RunRow } from '../model/shown-run.ts';

const PAGE_SIZE = 100;

/** A state of the filter, in the words of durable runs. Undefined: they have none like it. */
const DURABLE: Readonly<Record<string, AgentRunStatus | undefined>> = {
  queued: 'queued',
  live: 'running',
  canceling: 'canceling',
  valid: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
};
/** States that kept runs have not. */
const ONLY_DURABLE: readonly string[] = ['queued', 'canceling', 'canceled'];

interface Runs {
  readonly rows: readonly RunRow[];
  readonly isFiltered: boolean;
  /** Reads both lists as one. */
  readonly list: {
    readonly isPending: boolean;
    readonly isSuccess: boolean;
    readonly error: Error | null;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly refetch: () => Promise<unknown>;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

/** The filters that both kinds have, and the order. */
interface Asked extends ServerOrder {
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly q: string | undefined;
}

const PAGES = { initialPageParam: '', placeholderData: keepPreviousData } as const;

function useKept(
  asked: Asked & { readonly status: string | undefined },
  enabled: boolean,
): UseInfiniteQueryResult<InfiniteData<RunPageView>> {
  const { call } = useSession();
  return useInfiniteQuery({
    ...PAGES,
    queryKey: ['runs', 'kept', asked],
    enabled,
    queryFn: ({ signal, pageParam }) => {
      const path = `/api/kept_runs${toQuery({ limit: PAGE_SIZE, after: pageParam || undefined, ...asked })}`;
      return call({ method: 'GET', path, shape: runPageView, signal });
    },
    getNextPageParam: ({ next }: RunPageView) => next,
  });
}

function useDurable(
  asked: Asked & { readonly status: string | undefined; readonly repository: string | undefined },
  enabled: boolean,
): UseInfiniteQueryResult<InfiniteData<AgentRunPageView>> {
  const { call } = useSession();
  return useInfiniteQuery({
    ...PAGES,
    queryKey: ['runs', 'durable', asked],
    enabled,
    queryFn: ({ signal, pageParam }) => {
      const path = `/api/runs${toQuery({ limit: PAGE_SIZE, after: pageParam || undefined, ...asked })}`;
      return call({ method: 'GET', path, shape: agentRunPageView, signal });
    },
    getNextPageParam: ({ next }: AgentRunPageView) => next,
  });
}

/** Reads the runs that the filters of the address select, and that the token is allowed to see. */
export function useRuns(): Runs {
  const { get } = useAddressFilters();
  const scopes = useScopes();
  const status = get('status') || undefined;
  const repository = get('repository') || undefined;
  const order = serverOrder(get('sort'));
  const asked = {
    agent: get('agent') || undefined,
    model: get('model') || undefined,
    q: get('q') || undefined,
    ...order,
  };
  const durableStatus = status === undefined ? undefined : DURABLE[status];
  const isKept =
    repository === undefined && !ONLY_DURABLE.includes(status ?? '') && scopes?.includes('project') === true;
  const isDurable =
    (status === undefined || durableStatus !== undefined) && scopes?.includes('runs') === true;
  const kept = useKept({ ...asked, status }, isKept);
  const durable = useDurable({ ...asked, status: durableStatus, repository }, isDurable);
  const reads = [...(isKept ? [kept] : []), ...(isDurable ? [durable] : [])];
  return {
    rows: mergeRuns(
      {
        runs: isKept ? (kept.data?.pages.flatMap(({ runs }) => runs) ?? []) : [],
        hasMore: isKept && kept.hasNextPage,
      },
      {
        runs: isDurable ? (durable.data?.pages.flatMap(({ runs }) => runs) ?? []) : [],
        hasMore: isDurable && durable.hasNextPage,
      },
      durable.dataUpdatedAt,
      order,
    ),
    isFiltered: [...Object.values(asked), status, repository].some((value) => value !== undefined),
    list: {
      isPending: scopes === undefined || reads.some(({ isPending }) => isPending),
      isSuccess: scopes !== undefined && reads.every(({ isSuccess }) => isSuccess),
      error: reads.find(({ error }) => error !== null)?.error ?? null,
      hasNextPage: reads.some(({ hasNextPage }) => hasNextPage),
      isFetchingNextPage: reads.some(({ isFetchingNextPage }) => isFetchingNextPage),
      refetch: () => Promise.all(reads.map(async (read) => read.refetch())),
      fetchNextPage: () =>
        Promise.all(reads.filter(({ hasNextPage }) => hasNextPage).map(async (read) => read.fetchNextPage())),
    },
  };
}
