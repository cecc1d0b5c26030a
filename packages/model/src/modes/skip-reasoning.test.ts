import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createReasoningFilter } from './preview.ts';

function filtered(text: string, cuts: readonly number[]): string {
  const filter = createReasoningFilter();
  const ends = [...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted((one, two) => one - two);
  return ends.map((end, index) => filter(text.slice(ends[index - 1] ?? 0, end))).join('');
}

it.each([
  ['{"a":1}', '{"a":1}'],
  ['  \n{"a":1}', '  \n{"a":1}'],
  ['<think>Hm. {"a":0}</think>{"a":1}', '{"a":1}'],
  ['\n<think></think>\n{"a":1}', '\n{"a":1}'],
  ['<think>it never ends {"a":1}', ''],
  ['<thin', ''],
  ['<thinking>', '<thinking>'],
  ['{"a":"<think>x</think>"}', '{"a":"<think>x</think>"}'],
  ['<think>a</think>{"a":"</think>"}', '{"a":"</think>"}'],
])('reads %j as %j, with any chunking', (text, answer) => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (cuts) => {
      expect(filtered(text, cuts)).toBe(answer);
    }),
  );
});
