import { expect, it } from 'vitest';
import { BESIDE_BUBBLEWRAP, ENGINE_ROWS, matrixColumns, triesColumn } from '../matrix.ts';

const COLUMNS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const ROWS = [0, 1, 2, 3, 4];

it('the short form of a matrix tries every column and every row, and a third of the pairs', () => {
  const tried = ROWS.map((row) => matrixColumns(row, COLUMNS, { form: 'short', rows: 5 }));
  expect(new Set(tried.flat())).toEqual(new Set(COLUMNS));
  expect(tried.every((columns) => columns.length > 0)).toBe(true);
  expect(tried.flat().length).toBeLessThan((ROWS.length * COLUMNS.length) / 2);
});

it('two rows are enough for every column with a stride of 2', () => {
  const tried = [0, 1].flatMap((row) => matrixColumns(row, COLUMNS, { form: 'short', stride: 2, rows: 2 }));
  expect(tried.toSorted()).toEqual(COLUMNS);
});

it('two rows try every column, whatever the stride', () => {
  const tried = [0, 1].flatMap((row) => matrixColumns(row, COLUMNS, { form: 'short', stride: 5, rows: 2 }));
  expect(tried.toSorted()).toEqual(COLUMNS);
});

it('the whole form tries every pair', () => {
  for (const row of ROWS) expect(matrixColumns(row, COLUMNS, { form: 'whole', rows: 5 })).toEqual(COLUMNS);
});

it('each container engine tries a column of every list of three or more, and not the same one', () => {
  for (let length = 3; length < 40; length += 1) {
    const columns = Array.from({ length }, (_, column) => column);
    const [podman, docker] = [ENGINE_ROWS.podman, ENGINE_ROWS.docker].map((row) =>
      matrixColumns(row, columns, { ...BESIDE_BUBBLEWRAP, form: 'short' }),
    );
    expect(podman, `${length}`).toContain(0);
    expect(docker, `${length}`).toContain(2);
    expect(podman?.filter((column) => docker?.includes(column))).toEqual([]);
  }
});

it('a row that is left out tries no column, in either form', () => {
  for (const form of ['short', 'whole'] as const) {
    for (const [column] of COLUMNS.entries()) {
      expect(triesColumn(-1, column, { form, rows: 3 }), `${form} ${column}`).toBe(false);
    }
  }
});
