/** Changes of a run: reads what its commits changed, and shows all of them or the one in the address. */
import type { ReactNode } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { changesView, type ChangesView } from '@truecast/client/internal/wire/changes';
import { ChangesList } from '../changes/changes-list.tsx';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { ProblemBox, Skeleton } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import { RunCommits } from './durable/run-commits.tsx';
import type { ShownRun } from './model/shown-run.ts';

/** Reads the changes of all commits, or of one. They are read again when a live run commits. */
export function useRunChanges({ id, commits, durable }: ShownRun, commit = ''): UseQueryResult<ChangesView> {
  const { call } = useSession();
  const query = commit === '' ? '' : `?commit=${encodeURIComponent(commit)}`;
  return useQuery({
    queryKey: ['run-changes', id, commits.length, commit],
    queryFn: ({ signal }) =>
      call({
        method: 'GET',
        path: `/api/kept_runs/${encodeURIComponent(id)}/changes${query}`,
        shape: changesView,
        signal,
      }),
    // The commits of a durable run are in a repository of its worker.
    enabled: commits.length > 0 && durable === undefined,
    staleTime: Infinity,
  });
}

export function RunChanges({ run }: { readonly run: ShownRun }): ReactNode {
  const { get, set } = useAddressFilters();
  const commit = get('commit');
  const { data, error, refetch } = useRunChanges(run, commit);
  if (run.commits.length === 0) return <p className="text-muted">The agent made no commit.</p>;
  if (run.durable !== undefined) return <RunCommits ids={run.commits} branch={run.branch} />;
  if (error !== null) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  return (
    <>
      {commit !== '' && (
        <button type="button" className="button mb-4" onClick={() => set('commit', '')}>
          Show all commits
        </button>
      )}
      <ChangesList changes={data} branch={run.branch} commit={commit === '' ? undefined : commit} />
    </>
  );
}
