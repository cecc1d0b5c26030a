/**
 * Table of a list: a state, a title with its outcome, columns and a time. Each row is one link. Where
 * there is less room, columns fold into a line below the title, which never gets under 160 pixels.
 */
import { type CSSProperties, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon } from '../icon.tsx';
import { RelativeTime } from '../relative-time.tsx';
import { RowList } from './row-list.tsx';
import { useAddressFilters } from './select-field.tsx';
import { nextOrder, orderRows, readOrder } from './table-order.ts';

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
  /** A drawing after the cell. */
  readonly mark?: (row: Row) => ReactNode;
  /** Number that orders the rows. @default none: the head cannot be pressed */
  readonly orderBy?: (row: Row) => number | undefined;
  /** Read by screen readers after a number. */
  readonly noun?: string;
  /** True for numbers, which are at the right. @default false */
  readonly isNumber?: boolean;
  /** True for a column that needs more than 64 rem. @default false: 56 rem */
  readonly isLast?: boolean;
}

/** Rows that are chosen for an action. */
export interface Selection<Row> {
  readonly keys: ReadonlySet<string>;
  readonly onChange: (keys: ReadonlySet<string>) => void;
  /** Names a row for screen readers. */
  readonly nameOf: (row: Row) => string;
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
  /** Adds a box to each row. */
  readonly selection?: Selection<Row>;
  /** True if the server ordered the rows by the address. @default false: the loaded rows are ordered here */
  readonly isOrdered?: boolean;
}

const STATE = '104px';
/** Beside a box. */
const BOXED_STATE = '84px';
const TITLE = 'minmax(160px,1fr)';
const TIME = '88px';
const GRID =
  'gap-x-4 px-4 @2xl:grid @2xl:grid-cols-(--few) @2xl:px-5 @4xl:grid-cols-(--some) @5xl:grid-cols-(--all)';
/** Room for the box of a row. */
const BOXED = 'pl-12 @2xl:pl-14';

/** Renders the heads, and one link for each row. */
export function Table<Row>(props: TableProps<Row>): ReactNode {
  const { rows, keyOf, columns, label, isPanel = false, selection } = props;
  const order = readOrder(useAddressFilters().get('sort'));
  const ordered =
    props.isOrdered === true
      ? undefined
      : columns.find(({ head }) => head.toLowerCase() === order?.head)?.orderBy;
  const shown =
    order === undefined || ordered === undefined ? rows : orderRows(rows, ordered, order.isRising);
  const some = columns.filter(({ isLast }) => isLast !== true);
  const tracks = (listed: readonly Column<Row>[]): string =>
    [selection === undefined ? STATE : BOXED_STATE, TITLE, ...listed.map(({ track }) => track), TIME].join(
      ' ',
    );
  const style = { '--few': tracks([]), '--some': tracks(some), '--all': tracks(columns) };
  return (
    // React writes custom properties too, which its types do not list.
    <div className={`@container ${isPanel ? 'panel overflow-hidden' : ''}`} style={style as CSSProperties}>
      <Heads {...props} />
      <RowList
        rows={shown.map((row) => ({
          key: keyOf(row),
          content: (
            <>
              {selection !== undefined && <Box selection={selection} row={row} rowKey={keyOf(row)} />}
              <TableRow {...props} row={row} />
            </>
          ),
        }))}
        estimatedPx={ROW_PX}
        {...(label !== undefined && { label })}
      />
    </div>
  );
}

/** The cells have the nouns for screen readers. Heads that order the rows are buttons. */
function Heads<Row>({
  titleHead,
  columns,
  timeHead,
  isPanel = false,
  selection,
  ...list
}: TableProps<Row>): ReactNode {
  const place = isPanel ? 'relative' : 'sticky top-[calc(52px+var(--strip,0px))] z-[5] bg-page';
  return (
    <div
      className={`hidden h-[34px] items-center border-b border-line text-xs font-medium whitespace-nowrap text-muted ${place} ${GRID} ${selection === undefined ? '' : BOXED}`}
    >
      {selection !== undefined && <AllBox selection={selection} {...list} />}
      <span aria-hidden="true">State</span>
      <span aria-hidden="true">{titleHead}</span>
      {columns.map(({ head, orderBy, ...column }) => (
        <span key={head} className={placeOf(column)} aria-hidden={orderBy === undefined}>
          {orderBy === undefined ? head : <OrderButton head={head} />}
        </span>
      ))}
      <span aria-hidden="true" className="text-right">
        {timeHead}
      </span>
    </div>
  );
}

/** Orders the rows: the largest first, then the smallest first, then as they came. */
function OrderButton({ head }: { readonly head: string }): ReactNode {
  const { get, set } = useAddressFilters();
  const order = readOrder(get('sort'));
  const name = head.toLowerCase();
  const isPressed = order?.head === name;
  return (
    <button
      type="button"
      aria-pressed={isPressed}
      title={isPressed && !order.isRising ? 'Smallest first' : isPressed ? 'As they came' : 'Largest first'}
      className={`-mx-1 inline-flex h-6 items-center gap-1 rounded-sm px-1 hover:text-ink ${isPressed ? 'text-ink' : ''}`}
      onClick={() => set('sort', nextOrder(order, name))}
    >
      {isPressed && <Icon name={order.isRising ? 'rising' : 'falling'} className="size-3" />}
      {head}
    </button>
  );
}

interface BoxProps<Row> {
  readonly selection: Selection<Row>;
  readonly row: Row;
  readonly rowKey: string;
}

const BOX = 'absolute left-1 z-[1] grid size-11 place-items-center @2xl:left-2';

function Box<Row>({ selection: { keys, onChange, nameOf }, row, rowKey }: BoxProps<Row>): ReactNode {
  const toggle = (isChosen: boolean): void => {
    const next = new Set(keys);
    if (isChosen) next.add(rowKey);
    else next.delete(rowKey);
    onChange(next);
  };
  return (
    <label className={`${BOX} -top-1`}>
      <input
        type="checkbox"
        aria-label={`Select ${nameOf(row)}`}
        checked={keys.has(rowKey)}
        onChange={({ target }) => toggle(target.checked)}
      />
    </label>
  );
}

type AllProps<Row> = Pick<TableProps<Row>, 'rows' | 'keyOf'> & Pick<BoxProps<Row>, 'selection'>;

function AllBox<Row>({ rows, keyOf, selection: { keys, onChange } }: AllProps<Row>): ReactNode {
  const isAll = rows.length > 0 && rows.every((row) => keys.has(keyOf(row)));
  return (
    <label className={`${BOX} top-1/2 -translate-y-1/2`}>
      <input
        type="checkbox"
        aria-label="Select all rows"
        checked={isAll}
        onChange={() => onChange(new Set(isAll ? [] : rows.map(keyOf)))}
      />
    </label>
  );
}

function placeOf({ isLast = false, isNumber = false }: Pick<Column<never>, 'isLast' | 'isNumber'>): string {
  const alignment = isNumber ? 'text-right whitespace-nowrap tabular-nums' : 'truncate';
  return `hidden min-w-0 ${isLast ? '@5xl:block' : '@4xl:block'} ${alignment}`;
}

function TableRow<Row>({ row, ...props }: TableProps<Row> & { readonly row: Row }): ReactNode {
  const { keyOf, hrefOf, state, title, outcome, columns, timeOf, selection } = props;
  const folded = columns
    .map(({ head, cell, folded: fold = cell, noun }) => ({ head, content: fold(row), noun }))
    .filter(({ content }) => content !== undefined && content !== '');
  const look = selection?.keys.has(keyOf(row)) === true ? 'bg-accent-soft' : 'hover:bg-well';
  return (
    <Link
      href={hrefOf(row)}
      className={`block border-b border-line py-2 text-sm focus-visible:-outline-offset-2 ${look} ${GRID} ${selection === undefined ? '' : BOXED}`}
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
      {columns.map(({ head, cell, mark, noun, ...column }) => (
        <Cell key={head} className={placeOf(column)} noun={noun} mark={mark?.(row)}>
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
  readonly mark: ReactNode;
  readonly children: ReactNode;
}

function Cell({ className, noun, mark, children }: CellProps): ReactNode {
  return (
    <span className={className}>
      {children}
      {children !== undefined && noun !== undefined && (
        <span className="sr-only"> {nounOf(children, noun)}</span>
      )}
      {mark}
    </span>
  );
}

/** `attempts`, or `attempt` after a 1. */
function nounOf(count: ReactNode, noun: string): string {
  return count === 1 ? noun.replace(/s$/u, '') : noun;
}
