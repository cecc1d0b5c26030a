import { expect, it } from 'vitest';
import { rowChunks } from './row-chunks.ts';

it.each([
  [0, []],
  [2, [[0, 1]]],
  [5, [[0, 1], [2, 3], [4]]],
])('splits %i rows into statements of two', (count, expected) => {
  expect(rowChunks([...Array(count).keys()], 2)).toEqual(expected);
});

it('has a thousand rows in a statement', () => {
  expect(rowChunks([...Array(1_001).keys()]).map(({ length }) => length)).toEqual([1_000, 1]);
});
