/** Commits of a durable run, each with the command that shows it in the repository of its worker. */
import type { ReactNode } from 'react';
import { CommandRow } from '../../parts/code/copy-button.tsx';

interface CommitsProps {
  readonly ids: readonly string[];
  readonly branch: string | undefined;
}

const SHOWN_CHARS = 12;

/** Renders the list, oldest first. */
export function RunCommits({ ids, branch }: CommitsProps): ReactNode {
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
