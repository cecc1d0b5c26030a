import { array, assert, constantFrom, nat, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { createLineSplitter } from './split-lines.ts';

function split(
  chunks: readonly string[],
  maxChars?: number,
): { readonly lines: readonly string[]; readonly cutCount: number } {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line), maxChars);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, cutCount: splitter.cutCount };
}

const text = array(constantFrom('a', '\n', 'bc', '\r\n', 'é', ''), { maxLength: 30 });

it('gives the same lines however the text was cut', () => {
  assert(
    property(text, (chunks) => {
      const whole = chunks.join('');
      const expected = whole.split('\n');
      if (expected.at(-1) === '') expected.pop();
      expect(split(chunks).lines).toEqual(expected);
      expect(split([whole]).lines).toEqual(expected);
      expect(split(whole.split('')).lines).toEqual(expected);
    }),
  );
});

it('passes on an overlong line in pieces, reports it, and buffers at most the limit and one chunk', () => {
  assert(
    property(
      array(string({ unit: constantFrom('x', 'y'), minLength: 1, maxLength: 5 }), { maxLength: 30 }),
      nat(20),
      (chunks, max) => {
        const { lines, cutCount } = split(chunks, max + 1);
        expect(lines.join('')).toBe(chunks.join(''));
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(max + 6);
        expect(cutCount).toBe(lines.filter((line) => line.length >= max + 1).length);
      },
    ),
  );
});
