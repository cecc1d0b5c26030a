/**
 * Table of a list: a state, a title with its outcome, columns and a time. Each row is one link. Where
 * there is less room, columns fold into a line below the title, which never gets under 160 pixels.
 */
import { type CSSProperties, type ReactNode } from 'react';
import { Link } from 'wouter';
import { RelativeTime } from './relative-time.tsx';
import { RowList } from './row-list.tsx';

const ROW_PX = 58;

/** A column that is shown where there is room. */
export interface Column<Row> {
  readonly head: string;
  /** Width, as a track of a grid. */
  readonly track: string;
  /** Undefined leaves the cell empty. */
  readonly cell: (row: Row) => ReactNode;
  /** The cell in the line below the title. @default the cell itself */
  readonly folded?: (row: Row) => ReactNode;
  /** Read by screen readers after a number. */
  readonly noun?: string;
  /** True for numbers, which are at the right. @default false */
  readonly isNumber?: boolean;
  /** True for a column that needs more than 64 rem. @default false: 56 rem */
  readonly isLast?: boolean;
}

interface TableProps<Row> {
  readonly label?: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly hrefOf: (row: Row) => string;
  readonly state: (row: Row) => ReactNode;
  /** Head of the title, and its cell: one line, and the outcome below it. */
  readonly titleHead: string;
  readonly title: (row: Row) => ReactNode;
  readonly outcome: (row: Row) => ReactNode;
  readonly columns: readonly Column<Row>[];
  readonly timeHead: string;
  readonly timeOf: (row: Row) => string;
  /** True for a list on a page with other parts. @default false: it reaches the edges of the sheet */
  readonly isPanel?: boolean;
}

const STATE = '104px';
const TITLE = 'minmax(160px,1fr)';
const TIME = '88px';
const GRID =
  'gap-x-4 px-4 @2xl:grid @2xl:grid-cols-(--few) @2xl:px-5 @4xl:grid-cols-(--some) @5xl:grid-cols-(--all)';

/** Renders the heads, and one link for each row. */
export function Table<Row>(props: TableProps<Row>): ReactNode {
  const { rows, keyOf, columns, label, isPanel = false } = props;
  const some = columns.filter(({ isLast }) => isLast !== true);
  const tracks = (shown: readonly Column<Row>[]): string =>
    [STATE, TITLE, ...shown.map(({ track }) => track), TIME].join(' ');
  const style = { '--few': tracks([]), '--some': tracks(some), '--all': tracks(columns) };
  return (
    // React writes custom properties too, which its types do not list.
    <div className={`@container ${isPanel ? 'panel overflow-hidden' : ''}`} style={style as CSSProperties}>
      <Heads {...props} />
      <RowList
        rows={rows.map((row) => ({ key: keyOf(row), content: <TableRow {...props} row={row} /> }))}
        estimatedPx={ROW_PX}
        {...(label !== undefined && { label })}
      />
    </div>
  );
}

/** The cells have the nouns for screen readers. */
function Heads<Row>({ titleHead, columns, timeHead, isPanel = false }: TableProps<Row>): ReactNode {
  const place = isPanel ? '' : 'sticky top-[calc(52px+var(--strip,0px))] z-[5] bg-page';
  return (
    <div
      aria-hidden="true"
      className={`hidden h-[34px] items-center border-b border-line text-xs font-medium whitespace-nowrap text-muted ${place} ${GRID}`}
    >
      <span>State</span>
      <span>{titleHead}</span>
      {columns.map(({ head, ...column }) => (
        <span key={head} className={placeOf(column)}>
          {head}
        </span>
      ))}
      <span className="text-right">{timeHead}</span>
    </div>
  );
}

function placeOf({ isLast = false, isNumber = false }: Pick<Column<never>, 'isLast' | 'isNumber'>): string {
  const alignment = isNumber ? 'text-right whitespace-nowrap tabular-nums' : 'truncate';
  return `hidden min-w-0 ${isLast ? '@5xl:block' : '@4xl:block'} ${alignment}`;
}

function TableRow<Row>({ row, ...props }: TableProps<Row> & { readonly row: Row }): ReactNode {
  const { hrefOf, state, title, outcome, columns, timeOf } = props;
  const folded = columns
    .map(({ head, cell, folded: fold = cell, noun }) => ({ head, content: fold(row), noun }))
    .filter(({ content }) => content !== undefined && content !== '');
  return (
    <Link
      href={hrefOf(row)}
      className={`block border-b border-line py-2 text-sm hover:bg-well focus-visible:-outline-offset-2 ${GRID}`}
    >
      <span className="hidden @2xl:block">{state(row)}</span>
      <span className="block min-w-0">
        <span data-title="" className="block font-medium break-words @2xl:truncate">
          {title(row)}
        </span>
        <span className="block min-w-0">{outcome(row)}</span>
        <span className="flex flex-wrap gap-x-3 text-xs leading-5 text-muted @4xl:hidden">
          <span className="@2xl:hidden">{state(row)}</span>
          {folded.map(({ head, content, noun }) => (
            <span key={head} className="min-w-0 break-words">
              {content}
              {noun !== undefined && ` ${nounOf(content, noun)}`}
            </span>
          ))}
          <span className="@2xl:hidden">
            <RelativeTime at={timeOf(row)} />
          </span>
        </span>
      </span>
      {columns.map(({ head, cell, noun, ...column }) => (
        <Cell key={head} className={placeOf(column)} noun={noun}>
          {cell(row)}
        </Cell>
      ))}
      <span className="hidden text-right whitespace-nowrap text-muted @2xl:block">
        <RelativeTime at={timeOf(row)} />
      </span>
    </Link>
  );
}

interface CellProps {
  readonly className: string;
  readonly noun: string | undefined;
  readonly children: ReactNode;
}

function Cell({ className, noun, children }: CellProps): ReactNode {
  return (
    <span className={className}>
      {children}
      {children !== undefined && noun !== undefined && (
        <span className="sr-only"> {nounOf(children, noun)}</span>
      )}
    </span>
  );
}

/** `attempts`, or `attempt` after a 1. */
function nounOf(count: ReactNode, noun: string): string {
  return count === 1 ? noun.replace(/s$/u, '') : noun;
}
