/** State of the tree of a value: what is folded, the active row, its keys, and the search. */
import { useCallback, useMemo, useState, type KeyboardEvent, type SyntheticEvent } from 'react';
import { hitsOf, moveOf, pointersAround, valueRows, type RowsOptions, type ValueRow } from './value-rows.ts';

/** A value, and what can be done with it. */
export interface TreeOptions extends Omit<RowsOptions, 'folded'> {
  /** True if members can be folded, and pointers copied. */
  readonly isFinal: boolean;
  /** True for a search field above the rows. */
  readonly isFinding: boolean;
}

/** The row on which the keys of the tree act. */
interface ActiveRow {
  readonly pointer: string;
  /** True if it has to become visible. */
  readonly isRevealed: boolean;
}

export interface TreeState {
  readonly rows: readonly ValueRow[];
  /** Index of the active row. */
  readonly at: number;
  /** The active row, once a reader has moved to it. */
  readonly chosen: ValueRow | undefined;
  /** A new object makes the active row visible. */
  readonly revealed: object | undefined;
  readonly find: ValueFind;
  readonly onFold: (pointer: string, isFolded: boolean) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  readonly onFocus: (event: SyntheticEvent) => void;
  readonly onMouseDown: (event: SyntheticEvent) => void;
}

const NOTHING: ReadonlySet<string> = new Set();

export function useValueTree({
  schema,
  value,
  issues,
  isExact = false,
  isFinal,
  isFinding,
}: TreeOptions): TreeState {
  const [folded, setFolded] = useState(NOTHING);
  const [active, setActive] = useState<ActiveRow>({ pointer: '', isRevealed: false });
  const whole = useMemo(
    () => valueRows({ schema, value, issues, isExact }),
    [schema, value, issues, isExact],
  );
  const rows = useMemo(
    () => (folded.size === 0 ? whole : valueRows({ schema, value, issues, isExact, folded })),
    [whole, schema, value, issues, isExact, folded],
  );
  const places = useMemo(() => new Map(rows.map(({ pointer }, index) => [pointer, index])), [rows]);
  const at = placeOf(places, active.pointer);
  const onFold = useCallback((pointer: string, isFolded: boolean) => {
    setFolded((before) => {
      const others = [...before].filter((each) => each !== pointer);
      return new Set(isFolded ? [...others, pointer] : others);
    });
  }, []);
  const find = useFind(whole, isFinding, (pointer) => {
    const around = new Set(pointersAround(pointer));
    setFolded((before) => new Set([...before].filter((each) => !around.has(each))));
    setActive({ pointer, isRevealed: true });
  });
  const onReach = ({ target }: SyntheticEvent): void => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-pointer]') : null;
    if (row !== null) setActive({ pointer: row.dataset['pointer'] ?? '', isRevealed: false });
  };
  return {
    rows,
    at,
    chosen: active.pointer === '' ? undefined : rows[at],
    revealed: active.isRevealed ? active : undefined,
    find,
    onFold,
    onKeyDown: (event) => {
      const isDone = act(event, rows, at, {
        onMove: (to) => setActive({ pointer: rows[to]?.pointer ?? '', isRevealed: true }),
        onFold: (isFolded) => isFinal && onFold(rows[at]?.pointer ?? '', isFolded),
      });
      if (isDone) event.preventDefault();
    },
    onFocus: onReach,
    onMouseDown: onReach,
  };
}

/** A row inside of a folded part is represented by that part. */
function placeOf(places: ReadonlyMap<string, number>, pointer: string): number {
  const shown = [pointer, ...pointersAround(pointer).toReversed()].find((each) => places.has(each));
  return places.get(shown ?? '') ?? 0;
}

interface TreeActions {
  readonly onMove: (to: number) => void;
  readonly onFold: (isFolded: boolean) => void;
}

/** Acts on a key of the tree. Returns false for other keys. */
function act(
  { key, altKey, ctrlKey, metaKey, shiftKey, target, currentTarget }: KeyboardEvent<HTMLElement>,
  rows: readonly ValueRow[],
  at: number,
  { onMove, onFold }: TreeActions,
): boolean {
  if (altKey || ctrlKey || metaKey || shiftKey) return false;
  if (key === 'Enter' && target === currentTarget) {
    // The button of the row: it folds, or it copies the pointer and confirms it.
    const row = currentTarget.querySelector('.tree-active');
    row?.querySelector<HTMLElement>('button[aria-expanded], button[data-enter]')?.click();
    return true;
  }
  const move = moveOf(rows, at, key);
  if (move === undefined) return false;
  // A button of the row that is left is not reached by Tab any more.
  currentTarget.focus({ preventScroll: true });
  if ('to' in move) onMove(move.to);
  else onFold(move.isFolded);
  return true;
}

/** The search of a tree. */
export interface ValueFind {
  readonly words: string;
  /** Pointers of the fields that match, in order. */
  readonly hits: readonly string[];
  /** Index of the current one. */
  readonly hit: number;
  readonly found: ReadonlySet<string>;
  readonly onWords: (words: string) => void;
  /** Goes to another match. After the last one comes the first one. */
  readonly onStep: (step: 1 | -1) => void;
}

function useFind(
  rows: readonly ValueRow[],
  isFinding: boolean,
  reveal: (pointer: string) => void,
): ValueFind {
  const [words, setWords] = useState('');
  const [hit, setHit] = useState(0);
  const hits = useMemo(() => (isFinding ? hitsOf(rows, words) : []), [rows, words, isFinding]);
  const found = useMemo(() => new Set(hits), [hits]);
  const go = (all: readonly string[], to: number): void => {
    setHit(to);
    const pointer = all[to];
    if (pointer !== undefined) reveal(pointer);
  };
  return {
    words,
    hits,
    hit,
    found,
    onWords: (next) => {
      setWords(next);
      go(hitsOf(rows, next), 0);
    },
    onStep: (step) => go(hits, (hit + step + hits.length) % Math.max(1, hits.length)),
  };
}
