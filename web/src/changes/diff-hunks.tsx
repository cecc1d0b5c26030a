/** Lines of a diff, in one or two columns: two numbers, a sign, and the words that differ. */
import type { ReactNode } from 'react';
import type { ChangeHunkView } from '@truecast/client/internal/wire/changes';
import { pairsOfRows, rowsOfHunk, type DiffPair, type DiffRow } from './diff-rows.ts';
import { LineText } from './line-text.tsx';

interface HunksProps {
  readonly hunks: readonly ChangeHunkView[];
  /** Names the lines for screen readers. */
  readonly label: string;
  /** True for old and new lines beside each other. @default false */
  readonly isSplit?: boolean;
  /** True for the text of a program. */
  readonly isCode: boolean;
}

/** Renders the hunks. Long lines scroll together. */
export function DiffHunks({ hunks, label, isSplit = false, isCode }: HunksProps): ReactNode {
  return (
    <div role="region" aria-label={label} tabIndex={0} className="overflow-x-auto">
      <div className={`diff ${isSplit ? 'diff-split' : ''}`}>
        {hunks.map((hunk, index) => (
          <Hunk key={index} hunk={hunk} isSplit={isSplit} isCode={isCode} />
        ))}
      </div>
    </div>
  );
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
