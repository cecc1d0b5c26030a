/** Sliding window: any part that was not discarded is the same as of the whole text. */
import { expect, it } from 'vitest';
import { RetainedText } from './retained-text.ts';

const TEXT = Array.from({ length: 4_000 }, (_, index) => `${index};`).join('');

it.each([1, 7, 4_095, 4_096, 4_097, 10_000])('in pieces of %i characters', (size) => {
  const retained = new RetainedText();
  for (let at = 0; at < TEXT.length; at += size) retained.push(TEXT.slice(at, at + size), at);
  for (const [start, end] of [
    [0, 5],
    [0, TEXT.length],
    [4_090, 4_100],
    [4_096, 8_192],
    [9_000, 9_000],
    [9_000, Infinity],
  ] as const) {
    expect(retained.slice(start, end)).toBe(TEXT.slice(start, end));
  }
  retained.dropBefore(9_001);
  expect(retained.slice(9_001, 12_345)).toBe(TEXT.slice(9_001, 12_345));
  retained.push('end', TEXT.length);
  expect(retained.slice(TEXT.length - 3, TEXT.length + 3)).toBe(`${TEXT.slice(-3)}end`);
});

it('begins again after everything was discarded', () => {
  const retained = new RetainedText();
  retained.push('abc', 0);
  retained.dropBefore(2);
  expect(retained.slice(0, 3)).toBe('abc');
  retained.dropBefore(3);
  expect(retained.slice(0, 3)).toBe('');
  retained.push('xyz', 10);
  expect(retained.slice(0, 100)).toBe('xyz');
  expect(retained.slice(11, 12)).toBe('y');
});

it('keeps the rest while hundreds of blocks are discarded', () => {
  const retained = new RetainedText();
  const block = 'x'.repeat(4_096);
  for (let index = 0; index < 300; index += 1) {
    retained.push(`${index}${block}`.slice(0, 4_096), index * 4_096);
    retained.dropBefore((index - 1) * 4_096);
    expect(retained.slice(index * 4_096, index * 4_096 + String(index).length)).toBe(String(index));
  }
  expect(retained.slice(298 * 4_096, 298 * 4_096 + 3)).toBe('298');
});
