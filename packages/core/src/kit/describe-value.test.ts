import { expect, it } from 'vitest';
import { clip, cut } from './describe-value.ts';

it('truncates to a length, the ellipsis included, and leaves no half of a surrogate pair', () => {
  expect(clip('abcdef', 6)).toBe('abcdef');
  expect(clip('abcdef', 4)).toBe('abc…');
  expect(clip('ab😀def', 4)).toBe('ab…');
  expect(clip('abc', 1)).toBe('…');
  expect(cut('a\n😀😀', 4)).toBe('a …');
});
