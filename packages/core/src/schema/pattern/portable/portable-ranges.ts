/**
 * Portable ranges: the characters of a set that JSON text does not escape, in ranges that every engine
 * reads. Pure.
 */
import type { CodeRange, CodeSet } from '../code-set.ts';

const FIRST_BEYOND_ASCII = 0x80;
const LAST_CODE_POINT = 0x10_ff_ff;

/** Characters that JSON text escapes, and surrogates, which are not characters. */
export const ESCAPED: readonly CodeRange[] = [
  [0x00, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0xd8_00, 0xdf_ff],
];

const LINE_SEPARATORS: CodeRange = [0x20_28, 0x20_29];

/** More characters beyond ASCII are not written out. */
const MAX_WRITTEN = 24;

/**
 * Returns the ranges of one class or of several alternatives. xgrammar misreads a class with several
 * characters beyond ASCII: few become an alternative each, and others all characters beyond ASCII.
 */
export function portableRanges(set: CodeSet): {
  readonly parts: readonly (readonly CodeRange[])[];
  /** False if characters were added, except the two line separators. */
  readonly isExact: boolean;
} {
  const { ranges, isExact } = set.outline();
  const safe = ESCAPED.reduce(without, ranges);
  const ascii = safe.flatMap(([first, last]): CodeRange[] =>
    first < FIRST_BEYOND_ASCII ? [[first, Math.min(last, FIRST_BEYOND_ASCII - 1)]] : [],
  );
  const beyond = safe.flatMap(([first, last]): CodeRange[] =>
    last < FIRST_BEYOND_ASCII ? [] : [[Math.max(first, FIRST_BEYOND_ASCII), last]],
  );
  const count = beyond.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (count <= MAX_WRITTEN) {
    return { parts: [...(ascii.length > 0 ? [ascii] : []), ...beyond.flatMap(writtenOut)], isExact };
  }
  const isWhole = missingOf(beyond).every(
    ([first, last]) => first >= LINE_SEPARATORS[0] && last <= LINE_SEPARATORS[1],
  );
  return { parts: [joined([...ascii, ...ALL_BEYOND])], isExact: isExact && isWhole };
}

const ALL_BEYOND = ESCAPED.reduce<readonly CodeRange[]>(without, [[FIRST_BEYOND_ASCII, LAST_CODE_POINT]]);

function missingOf(beyond: readonly CodeRange[]): readonly CodeRange[] {
  return beyond.reduce<readonly CodeRange[]>(without, ALL_BEYOND);
}

function writtenOut([first, last]: CodeRange): CodeRange[][] {
  return Array.from({ length: last - first + 1 }, (_, index) => [[first + index, first + index]]);
}

/** ASCII can end where the others begin. */
function joined(ranges: readonly CodeRange[]): readonly CodeRange[] {
  return ranges.reduce<CodeRange[]>((list, [first, last]) => {
    const previous = list.at(-1);
    if (previous === undefined || previous[1] + 1 < first) return [...list, [first, last]];
    return [...list.slice(0, -1), [previous[0], last]];
  }, []);
}

function without(ranges: readonly CodeRange[], [first, last]: CodeRange): readonly CodeRange[] {
  return ranges.flatMap(([from, to]): CodeRange[] => {
    if (to < first || from > last) return [[from, to]];
    return [
      ...(from < first ? [[from, first - 1] as const] : []),
      ...(to > last ? [[last + 1, to] as const] : []),
    ];
  });
}
