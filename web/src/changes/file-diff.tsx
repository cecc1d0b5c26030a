/** Diff of one file: its head with counts, and its lines. */
import { useId, useState, type ReactNode } from 'react';
import type { ChangedFileView } from '@truecast/client/internal/wire/changes';
import { CopyIcon } from '../parts/copy-icon.tsx';
import { countText, sizeText } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { DiffHunks } from './diff-hunks.tsx';
import { isCodeFile, LineText } from './line-text.tsx';

interface FileDiffProps {
  readonly file: ChangedFileView;
  /** True for old and new lines beside each other, where the page is wide. */
  readonly isSplit: boolean;
  readonly isOpenAtFirst: boolean;
}

export function FileDiff({ file, isSplit, isOpenAtFirst }: FileDiffProps): ReactNode {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const id = useId();
  const { path, old_path: oldPath, hunks } = file;
  const name = oldPath === undefined ? path : `${oldPath} → ${path}`;
  const facts = factsOf(file);
  return (
    <section aria-label={`Changes of ${path}`} className="panel overflow-hidden">
      <header className="flex min-h-10 items-center gap-2 py-1 pr-2 pl-1.5 not-only:border-b not-only:border-line">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          className="flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-1.5 text-left hover:bg-hover"
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name="fold" className={`size-4 shrink-0 text-muted ${isOpen ? '' : '-rotate-90'}`} />
          <code className="min-w-0 truncate font-medium [unicode-bidi:isolate]" dir="ltr" title={path}>
            <LineText text={name} />
          </code>
          <Counts file={file} />
        </button>
        <CopyIcon text={path} label={`Copy path ${path}`} />
      </header>
      {isOpen && (
        <div id={id}>
          {facts.length > 0 && <p className="bg-well px-4 py-2 text-xs text-muted">{facts.join(' · ')}</p>}
          {hunks.length > 0 && (
            <DiffHunks hunks={hunks} label={`Lines of ${path}`} isSplit={isSplit} isCode={isCodeFile(path)} />
          )}
          {file.omitted_lines > 0 && (
            <p className="border-t border-line bg-well px-4 py-2 text-xs text-muted">
              {countText(file.omitted_lines)} more lines are not shown.
            </p>
          )}
        </div>
      )}
    </section>
  );
}

const BLOCKS = [0, 1, 2, 3, 4];

function Counts({ file: { added, removed } }: Pick<FileDiffProps, 'file'>): ReactNode {
  if (added === undefined || removed === undefined || added + removed === 0) return null;
  const share = Math.round((added / (added + removed)) * BLOCKS.length);
  return (
    <span className="ml-auto flex shrink-0 items-center gap-2 text-xs font-medium whitespace-nowrap">
      <AddedRemoved added={added} removed={removed} />
      <span aria-hidden="true" className="hidden gap-0.5 @2xl:inline-flex">
        {BLOCKS.map((index) => (
          <span
            key={index}
            className={`size-2 rounded-[2px] ${index < share ? 'bg-ok-fill' : 'bg-bad-fill'}`}
          />
        ))}
      </span>
    </span>
  );
}

interface AddedRemovedProps {
  readonly added: number;
  readonly removed: number;
}

/** `+7 -2`, with words for a screen reader. */
export function AddedRemoved({ added, removed }: AddedRemovedProps): ReactNode {
  return (
    <span className="whitespace-nowrap">
      <span className="text-ok">
        +{countText(added)}
        <span className="sr-only"> lines added,</span>
      </span>
      <span className="ml-1 text-bad">
        -{countText(removed)}
        <span className="sr-only"> removed</span>
      </span>
    </span>
  );
}

const OMITTED: Readonly<Record<string, string>> = {
  binary: 'a binary file',
  large: 'too large to show',
  limit: 'not shown, because all files together are too large',
  unreadable: 'the repository no longer has its content',
};

function factsOf(file: ChangedFileView): readonly string[] {
  const { change, old_mode: oldMode, new_mode: newMode, old_bytes: old, new_bytes: current, omitted } = file;
  const isSilent = file.hunks.length === 0;
  const size =
    !isSilent || (old === undefined && current === undefined)
      ? []
      : [[old, current].flatMap((bytes) => (bytes === undefined ? [] : [sizeText(bytes)])).join(' → ')];
  const changed = change === 'modified' ? [] : [change];
  const modes = oldMode === undefined ? [] : [`mode ${oldMode} → ${newMode}`];
  const reason = omitted === undefined ? [] : [OMITTED[omitted] ?? omitted];
  return isSilent || modes.length > 0 ? [...changed, ...modes, ...size, ...reason] : [];
}
