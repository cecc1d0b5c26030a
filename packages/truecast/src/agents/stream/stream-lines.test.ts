import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineReader } from './stream-lines.ts';

const OVERLONG = Symbol('overlong');

function split(chunks: readonly string[], maxLineChars?: number): readonly unknown[] {
  const lines: unknown[] = [];
  const splitter = createLineReader({
    ...(maxLineChars !== undefined && { maxLineChars }),
    onLine: (line) => lines.push(line),
    onOverlongLine: () => lines.push(OVERLONG),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

test('gives out each line once it is whole, and the last one at the end', () => {
  const lines: string[] = [];
  const splitter = createLineReader({
    onLine: (line) => lines.push(line),
    onOverlongLine: () => undefined,
  });
  splitter.push('one\ntw');
  expect(lines).toEqual(['one']);
  splitter.push('o\n\nthr');
  splitter.push('ee');
  expect(lines).toEqual(['one', 'two', '']);
  splitter.end();
  expect(lines).toEqual(['one', 'two', '', 'three']);
});

test('takes a carriage return for part of the newline, also where the cut is between them', () => {
  expect(split(['one\r', '\ntwo\r\n', 'th\rree\r'])).toEqual(['one', 'two', 'th\rree']);
});

test('reports an overlong line once, drops it, and continues after it', () => {
  expect(split(['abc\nabcd', 'efgh', 'ijkl\nxyz\n', '12345'], 3)).toEqual(['abc', OVERLONG, 'xyz', OVERLONG]);
});

test('any slicing gives the same lines', () => {
  const slices = fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '{', '😀') }));
  fc.assert(
    fc.property(slices, (chunks) => {
      expect(split(chunks, 5)).toEqual(split([chunks.join('')], 5));
    }),
  );
});
