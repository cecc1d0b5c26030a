/** Rows of a diff: lines with their numbers, and the words that differ between an old and a new line. */
import type { ChangeHunkView } from '@truecast/client/internal/wire/changes';

/** A part of a line. `end` is exclusive. */
export interface LinePart {
  readonly start: number;
  readonly end: number;
}

/** One line of a file, without its sign. */
export interface DiffRow {
  readonly sign: ' ' | '+' | '-' | '\\';
  readonly old: number | undefined;
  readonly new: number | undefined;
  readonly text: string;
  /** Words that differ from the line on the other side. */
  readonly mark: LinePart | undefined;
}

/** A row with an old and a new side. */
export interface DiffPair {
  readonly old: DiffRow | undefined;
  readonly new: DiffRow | undefined;
}

const SIGNS = ['+', '-', '\\'] as const;

export function rowsOfHunk({ old_start, new_start, lines }: ChangeHunkView): readonly DiffRow[] {
  let [old, current] = [old_start, new_start];
  const rows = lines.map((line): DiffRow => {
    const sign = SIGNS.find((each) => line.startsWith(each)) ?? ' ';
    const hasOld = sign === ' ' || sign === '-';
    const hasNew = sign === ' ' || sign === '+';
    const numbers = { old: hasOld ? old : undefined, new: hasNew ? current : undefined };
    if (hasOld) old += 1;
    if (hasNew) current += 1;
    return { sign, ...numbers, text: line.slice(1), mark: undefined };
  });
  return withMarks(rows);
}

/** Puts removed lines beside the lines that replace them. */
export function pairsOfRows(rows: readonly DiffRow[]): readonly DiffPair[] {
  return blocksOf(rows).flatMap(({ removed, added, same }): readonly DiffPair[] => {
    const count = Math.max(removed.length, added.length);
    const changed = Array.from({ length: count }, (_, index) => ({ old: removed[index], new: added[index] }));
    return same === undefined ? changed : [...changed, { old: same, new: same }];
  });
}

interface Block {
  readonly removed: DiffRow[];
  readonly added: DiffRow[];
  /** The unchanged line after them. */
  same?: DiffRow;
}

function blocksOf(rows: readonly DiffRow[]): readonly Block[] {
  const blocks: Block[] = [{ removed: [], added: [] }];
  for (const row of rows) {
    const block = blocks.at(-1);
    if (block === undefined) break;
    if (row.sign === '-') block.removed.push(row);
    else if (row.sign === '+') block.added.push(row);
    else {
      block.same = row;
      blocks.push({ removed: [], added: [] });
    }
  }
  return blocks;
}

/** Lines are compared one by one where as many were added as removed. */
function withMarks(rows: readonly DiffRow[]): readonly DiffRow[] {
  const marks = new Map<DiffRow, LinePart>();
  for (const { removed, added } of blocksOf(rows)) {
    if (removed.length !== added.length) continue;
    removed.forEach((old, index) => {
      const current = added[index];
      const parts = current && differingParts(old.text, current.text);
      if (current === undefined || parts === undefined) return;
      marks.set(old, parts.old);
      marks.set(current, parts.new);
    });
  }
  return rows.map((row) => ({ ...row, mark: marks.get(row) }));
}

const WORDS = /\w+|\s+|[<>=!&|+*/%-]+|[^]/gu;
/** A line with fewer common characters is another line. */
const MIN_COMMON_SHARE = 0.4;

/** Returns the parts between the common beginning and the common end, in whole words. */
export function differingParts(
  old: string,
  current: string,
): { readonly old: LinePart; readonly new: LinePart } | undefined {
  const [olds, news] = [old.match(WORDS) ?? [], current.match(WORDS) ?? []];
  const shorter = Math.min(olds.length, news.length);
  let [first, last] = [0, 0];
  while (first < shorter && olds[first] === news[first]) first += 1;
  while (last < shorter - first && olds.at(-1 - last) === news.at(-1 - last)) last += 1;
  const start = olds.slice(0, first).join('').length;
  const tail = last === 0 ? 0 : olds.slice(-last).join('').length;
  const common = olds.slice(0, first).join('').trim().length + tail;
  if (common < MIN_COMMON_SHARE * Math.max(old.trim().length, current.trim().length)) return undefined;
  return { old: { start, end: old.length - tail }, new: { start, end: current.length - tail } };
}
