/** Diff of one file: its head with counts, and its lines in one or two columns. */
import { useId, useState, type ReactNode } from 'react';
import type { ChangedFileView, ChangeHunkView } from '@truecast/client/internal/wire/changes';
import { CopyIcon } from '../parts/copy-icon.tsx';
import { countText, sizeText } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { pairsOfRows, rowsOfHunk, type DiffPair, type DiffRow } from './diff-rows.ts';
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
            <div role="region" aria-label={`Lines of ${path}`} tabIndex={0} className="overflow-x-auto">
              <div className={`diff ${isSplit ? 'diff-split' : ''}`}>
                {hunks.map((hunk, index) => (
                  <Hunk key={index} hunk={hunk} isSplit={isSplit} isCode={isCodeFile(path)} />
                ))}
              </div>
            </div>
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

interface HunkProps {
  readonly hunk: ChangeHunkView;
  readonly isSplit: boolean;
  readonly isCode: boolean;
}

function Hunk({ hunk, isSplit, isCode }: HunkProps): ReactNode {
  const rows = rowsOfHunk(hunk);
  return (
    <>
      <div className="diff-head">
        <span aria-hidden="true">@@</span>
        <span className="min-w-0 truncate">
          <LineText text={hunk.heading} />
        </span>
      </div>
      {isSplit
        ? pairsOfRows(rows).map((pair, index) => <PairRow key={index} pair={pair} isCode={isCode} />)
        : rows.map((row, index) => <UnifiedRow key={index} row={row} isCode={isCode} />)}
    </>
  );
}

const LOOKS = { '+': 'diff-added', '-': 'diff-removed', ' ': '', '\\': 'text-muted' } as const;
const WORDS = { '+': 'added: ', '-': 'removed: ' } as const;

interface RowProps {
  readonly row: DiffRow;
  readonly isCode: boolean;
}

function UnifiedRow({ row, isCode }: RowProps): ReactNode {
  return (
    <div className={`diff-row ${LOOKS[row.sign]}`}>
      <span className="diff-number diff-old">{row.old}</span>
      <span className="diff-number">{row.new}</span>
      <Line row={row} isCode={isCode} />
    </div>
  );
}

function PairRow({ pair, isCode }: { readonly pair: DiffPair; readonly isCode: boolean }): ReactNode {
  return (
    <div className="diff-pair">
      {([pair.old, pair.new] as const).map((row, side) => (
        <div key={side} className={`diff-row ${row === undefined ? 'bg-well' : LOOKS[row.sign]}`}>
          <span className="diff-number">{side === 0 ? row?.old : row?.new}</span>
          {row !== undefined && <Line row={row} isCode={isCode} />}
        </div>
      ))}
    </div>
  );
}

function Line({ row: { sign, text, mark }, isCode }: RowProps): ReactNode {
  const word = sign === '+' || sign === '-' ? WORDS[sign] : undefined;
  return (
    <>
      <span className="diff-sign">
        <span aria-hidden="true">{sign === '\\' ? '' : sign}</span>
        {word !== undefined && <span className="sr-only">{word}</span>}
      </span>
      <code className="diff-text" dir="ltr">
        <LineText text={sign === '\\' ? `\\${text}` : text} isCode={isCode} mark={mark} />
      </code>
    </>
  );
}
