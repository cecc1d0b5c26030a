/**
 * Diff of two texts by lines: the shortest one, in the form of a changed file (Myers, "An O(ND) Difference
 * Algorithm and Its Variations", 1986). Pure.
 */
import type { ChangeHunkView } from '@truecast/client/internal/wire/changes';

/** Unchanged lines around a change. */
const CONTEXT = 3;
/** Texts with more changed lines are shown as replaced: the search costs the square of that number. */
const MAX_CHANGES = 500;

/** What changed between two texts. */
interface TextDiff {
  readonly hunks: readonly ChangeHunkView[];
  readonly added: number;
  readonly removed: number;
}

/** Returns the changes. No hunks for equal texts. */
export function diffOfTexts(old: string, current: string): TextDiff {
  const [olds, news] = [old.split('\n'), current.split('\n')];
  const [first, last] = commonEnds(olds, news);
  const middle = [olds, news].map((lines) => lines.slice(first, lines.length - last));
  const changed = changesOf(middle[0] ?? [], middle[1] ?? []);
  const lines = [
    ...olds.slice(0, first).map((line) => ` ${line}`),
    ...changed,
    ...olds.slice(olds.length - last).map((line) => ` ${line}`),
  ];
  const countOf = (sign: string): number => changed.filter((line) => line.startsWith(sign)).length;
  return { hunks: hunksOf(lines), added: countOf('+'), removed: countOf('-') };
}

/** Returns how many lines are equal at the beginning, and at the end. */
function commonEnds(olds: readonly string[], news: readonly string[]): readonly [number, number] {
  const shorter = Math.min(olds.length, news.length);
  let [first, last] = [0, 0];
  while (first < shorter && olds[first] === news[first]) first += 1;
  while (last < shorter - first && olds.at(-1 - last) === news.at(-1 - last)) last += 1;
  return [first, last];
}

/** Returns the lines of both with their signs. */
function changesOf(olds: readonly string[], news: readonly string[]): readonly string[] {
  const traces = tracesOf(olds, news);
  if (traces === undefined) return [...olds.map((line) => `-${line}`), ...news.map((line) => `+${line}`)];
  const lines: string[] = [];
  let [x, y] = [olds.length, news.length];
  for (const [changes, reached] of [...traces.entries()].reverse()) {
    const diagonal = x - y;
    const isAdded = comesFromAbove(reached, diagonal, changes);
    const before = diagonal + (isAdded ? 1 : -1);
    const fromX = changes === 0 ? 0 : (reached.get(before) ?? 0);
    const fromY = changes === 0 ? 0 : fromX - before;
    for (; x > fromX && y > fromY; x -= 1, y -= 1) lines.push(` ${olds[x - 1]}`);
    if (changes === 0) break;
    lines.push(isAdded ? `+${news[y - 1]}` : `-${olds[x - 1]}`);
    [x, y] = [fromX, fromY];
  }
  return lines.reverse();
}

type Reached = ReadonlyMap<number, number>;

/**
 * For each number of changes, returns how far each diagonal was reached before it. Undefined beyond the
 * limit.
 */
function tracesOf(olds: readonly string[], news: readonly string[]): readonly Reached[] | undefined {
  const reached = new Map<number, number>([[1, 0]]);
  const traces: Reached[] = [];
  for (let changes = 0; changes <= MAX_CHANGES; changes += 1) {
    traces.push(new Map(reached));
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const isAdded = comesFromAbove(reached, diagonal, changes);
      let x = (reached.get(diagonal + (isAdded ? 1 : -1)) ?? 0) + (isAdded ? 0 : 1);
      let y = x - diagonal;
      for (; x < olds.length && y < news.length && olds[x] === news[y]; x += 1) y += 1;
      reached.set(diagonal, x);
      if (x >= olds.length && y >= news.length) return traces;
    }
  }
  return undefined;
}

/** Returns true if a diagonal is reached by an added line, and not by a removed one. */
function comesFromAbove(reached: Reached, diagonal: number, changes: number): boolean {
  if (diagonal === -changes) return true;
  if (diagonal === changes) return false;
  return (reached.get(diagonal - 1) ?? 0) < (reached.get(diagonal + 1) ?? 0);
}

/** Cuts the lines into hunks with context. */
function hunksOf(lines: readonly string[]): readonly ChangeHunkView[] {
  const hunks: { old_start: number; new_start: number; heading: string; lines: string[] }[] = [];
  const changedAt = lines.flatMap((line, index) => (line.startsWith(' ') ? [] : [index]));
  const isShown = new Set(
    changedAt.flatMap((at) => Array.from({ length: 2 * CONTEXT + 1 }, (_, index) => at - CONTEXT + index)),
  );
  let [old, current] = [1, 1];
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    if (isShown.has(index)) {
      if (!isOpen) hunks.push({ old_start: old, new_start: current, heading: '', lines: [] });
      hunks.at(-1)?.lines.push(line);
    }
    isOpen = isShown.has(index);
    if (!line.startsWith('+')) old += 1;
    if (!line.startsWith('-')) current += 1;
  }
  return hunks;
}
