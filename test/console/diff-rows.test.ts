/** Rows of a diff: numbers, pairs, and the words that differ. */
import { expect, it } from 'vitest';
import { differingParts, pairsOfRows, rowsOfHunk } from '../../web/src/changes/diff-rows.ts';

const hunk = (...lines: readonly string[]): Parameters<typeof rowsOfHunk>[0] => ({
  old_start: 7,
  new_start: 9,
  heading: '',
  lines,
});

it('numbers the lines of both sides', () => {
  const rows = rowsOfHunk(hunk(' a', '-b', '+c', '+d', ' e', String.raw`\ No newline at end of file`));
  expect(rows.map((row) => [row.sign, row.old, row.new, row.text])).toEqual([
    [' ', 7, 9, 'a'],
    ['-', 8, undefined, 'b'],
    ['+', undefined, 10, 'c'],
    ['+', undefined, 11, 'd'],
    [' ', 9, 12, 'e'],
    ['\\', undefined, undefined, ' No newline at end of file'],
  ]);
});

it('puts a removed line beside the line that replaces it', () => {
  const pairs = pairsOfRows(rowsOfHunk(hunk('-a', '-b', '+c', ' d', '+e')));
  expect(pairs.map((pair) => [pair.old?.text, pair.new?.text])).toEqual([
    ['a', 'c'],
    ['b', undefined],
    ['d', 'd'],
    [undefined, 'e'],
  ]);
});

it('marks whole words, and nothing where the lines have little in common', () => {
  const marked = (old: string, current: string): readonly string[] | undefined => {
    const parts = differingParts(old, current);
    return (
      parts && [old.slice(parts.old.start, parts.old.end), current.slice(parts.new.start, parts.new.end)]
    );
  };
  expect(marked('for (i <= size; i++)', 'for (i < size; i++)')).toEqual(['<=', '<']);
  expect(marked('  return parsed;', '  return parser;')).toEqual(['parsed', 'parser']);
  expect(marked('a a a', 'a a')).toEqual([' a', '']);
  expect(marked('const total = 1;', 'throw new TypeError();')).toBeUndefined();
});

it('marks no words where more lines were added than removed', () => {
  const marks = (...lines: readonly string[]): readonly unknown[] =>
    rowsOfHunk(hunk(...lines)).map(({ mark }) => mark);
  expect(marks('-return parsed;', '+return parser;', '+done();')).toEqual([undefined, undefined, undefined]);
  expect(marks('-return parsed;', '+return parser;')).toEqual([
    { start: 7, end: 13 },
    { start: 7, end: 13 },
  ]);
});
