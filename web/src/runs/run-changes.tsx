/** Changes of a run: reads them for all commits together, or for the one in the address. */
import type { ReactNode } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { changesView, type ChangesView } from '@truecast/client/internal/wire/changes';
import { ChangesList } from '../changes/changes-list.tsx';
import { CommandRow } from '../parts/code/copy-button.tsx';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { ProblemBox, Skeleton } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import type { ShownRun } from './model/shown-run.ts';

/** Returns false while a durable run works: its commits are read after its end. */
function isRead({ commits, durable }: ShownRun): boolean {
  return commits.length > 0 && (durable === undefined || durable.receipt !== undefined);
}

/** Reads the changes of all commits, or of one. They are read again when a live run commits. */
export function useRunChanges(run: ShownRun, commit = ''): UseQueryResult<ChangesView> {
  const { call } = useSession();
  const { id, commits, durable } = run;
  const list = durable === undefined ? 'kept_runs' : 'runs';
  const query = commit === '' ? '' : `?commit=${encodeURIComponent(commit)}`;
  return useQuery({
    queryKey: ['run-changes', id, commits.length, commit],
    queryFn: ({ signal }) =>
      call({
        method: 'GET',
        path: `/api/${list}/${encodeURIComponent(id)}/changes${query}`,
        shape: changesView,
        signal,
      }),
    enabled: isRead(run),
    staleTime: Infinity,
  });
}

export function RunChanges({ run }: { readonly run: ShownRun }): ReactNode {
  const { get, set } = useAddressFilters();
  const commit = get('commit');
  const { data, error, refetch } = useRunChanges(run, commit);
  if (run.commits.length === 0) return <p className="text-muted">The agent made no commit.</p>;
  if (!isRead(run)) return <RunCommits ids={run.commits} branch={run.branch} />;
  if (error !== null) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  // Only another worker has them.
  if (run.durable !== undefined && data.missing_commits === run.commits.length) {
    return <RunCommits ids={run.commits} branch={run.branch} />;
  }
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

interface CommitsProps {
  readonly ids: readonly string[];
  readonly branch: string | undefined;
}

const SHOWN_CHARS = 12;

/** Renders the list, oldest first. */
function RunCommits({ ids, branch }: CommitsProps): ReactNode {
  return (
    <>
      <ol aria-label="Commits" className="panel divide-y divide-line">
        {ids.map((id, index) => (
          <li key={id}>
            <CommandRow
              title={`Commit ${index + 1} of ${ids.length}`}
              command={`git show ${id.slice(0, SHOWN_CHARS)}`}
              copied={`git show ${id}`}
            />
          </li>
        ))}
      </ol>
      {branch !== undefined && (
        <p className="mt-3 text-sm break-words text-muted">
          In the repository of the worker, on the branch <code className="break-all">{branch}</code>.
        </p>
      )}
    </>
  );
}
