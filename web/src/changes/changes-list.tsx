/** What commits changed: counts, a switch between two layouts, and the diff of each file. */
import { useState, type ReactNode } from 'react';
import type { ChangedFileView, ChangesView } from '@truecast/client/internal/wire/changes';
import { countText } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { AddedRemoved, FileDiff } from './file-diff.tsx';

interface ChangesListProps {
  readonly changes: ChangesView;
  readonly branch: string | undefined;
  /** Id of the commit whose files these are. Undefined for all commits together. */
  readonly commit: string | undefined;
}

/** Lines of a file that is open at first. */
const OPEN_FILE_LINES = 400;
/** Lines of all files that are open at first. */
const OPEN_LINES = 1_500;

/** Renders the files of the given changes. Reads nothing. */
export function ChangesList({ changes, branch, commit }: ChangesListProps): ReactNode {
  const [isSplit, setIsSplit] = useState(false);
  const { files, omitted_files: omitted, missing_commits: missing } = changes;
  const isOpen = openAtFirst(files);
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        {branch !== undefined && (
          <span className="inline-flex max-w-full min-w-0 items-center gap-2">
            <Icon name="branch" className="size-4 shrink-0 text-muted" />
            <code className="min-w-0 truncate" title={branch}>
              {branch}
            </code>
          </span>
        )}
        <Totals changes={changes} commit={commit} />
        <span className="segments ml-auto @max-4xl:hidden" role="group" aria-label="Layout of the diff">
          <button type="button" aria-pressed={!isSplit} onClick={() => setIsSplit(false)}>
            Unified
          </button>
          <button type="button" aria-pressed={isSplit} onClick={() => setIsSplit(true)}>
            Split
          </button>
        </span>
      </div>
      {missing > 0 && (
        <p className="rounded-lg border border-warn-edge bg-warn-soft px-4 py-2.5 text-sm text-warn">
          {missing === 1 ? '1 commit is' : `${countText(missing)} commits are`} no longer in the repository,
          so what {missing === 1 ? 'it' : 'they'} changed is not shown.
        </p>
      )}
      {files.map((file, index) => (
        <FileDiff
          key={`${commit} ${file.path}`}
          file={file}
          isSplit={isSplit}
          isOpenAtFirst={isOpen[index] === true}
        />
      ))}
      {files.length === 0 && missing === 0 && <p className="text-muted">No file differs.</p>}
      {omitted > 0 && <p className="text-sm text-muted">{countText(omitted)} more files are not listed.</p>}
    </div>
  );
}

function Totals({ changes, commit }: Pick<ChangesListProps, 'changes' | 'commit'>): ReactNode {
  const { commits, files, omitted_files: omitted } = changes;
  const chosen = commits.find(({ id }) => id === commit);
  const sum = (name: 'added' | 'removed'): number => files.reduce((all, file) => all + (file[name] ?? 0), 0);
  const fileCount = files.length + omitted;
  return (
    <span className="text-muted">
      {chosen === undefined ? (
        `${countText(commits.length)} ${commits.length === 1 ? 'commit' : 'commits'}`
      ) : (
        <>
          Commit <code>{chosen.id.slice(0, 7)}</code>
        </>
      )}
      , {countText(fileCount)} {fileCount === 1 ? 'file' : 'files'},{' '}
      <AddedRemoved added={sum('added')} removed={sum('removed')} />
    </span>
  );
}

/** Returns which files are open at first. A long one is closed, and so are those after many lines. */
function openAtFirst(files: readonly ChangedFileView[]): readonly boolean[] {
  let lines = 0;
  return files.map(({ hunks }) => {
    const own = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    if (own > OPEN_FILE_LINES || lines + own > OPEN_LINES) return false;
    lines += own;
    return true;
  });
}
