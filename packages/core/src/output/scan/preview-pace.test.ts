import { expect, it } from 'vitest';
import { PreviewPace } from './preview-pace.ts';

const PIECE = 16;

/** Returns the sizes of the previews of an answer whose pieces all come at once. */
function shownSizes(chars: number): readonly number[] {
  const pace = new PreviewPace(() => 0);
  const sizes: number[] = [];
  for (let size = PIECE; size <= chars; size += PIECE) if (pace.grow(PIECE)) sizes.push(size);
  return sizes;
}

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

it('shows each piece of a short answer', () => {
  expect(shownSizes(4_096)).toHaveLength(4_096 / PIECE);
});

it('copies at most ten times the text, beside the short beginning, however long the text is', () => {
  const beginning = sum(shownSizes(4_096));
  for (const chars of [10_000, 100_000, 1_000_000, 10_000_000]) {
    expect(sum(shownSizes(chars)) - beginning).toBeLessThan(10 * chars);
  }
});

it('shows a slow answer after each interval, which grows with the answer', () => {
  let nowMs = 0;
  const pace = new PreviewPace(() => nowMs);
  expect(pace.grow(90_000)).toBe(true);
  expect(pace.grow(1)).toBe(false);
  expect(pace.isBehind).toBe(true);
  nowMs = 50;
  expect(pace.grow(1)).toBe(true);
  expect(pace.isBehind).toBe(false);
  expect(pace.grow(9_999)).toBe(false);
  nowMs = 149;
  expect(pace.grow(1_000)).toBe(false);
  nowMs = 150;
  expect(pace.grow(1)).toBe(true);
});

it('shows a long answer that comes at once again after an eighth of what was shown', () => {
  const pace = new PreviewPace(() => 0);
  expect([pace.grow(8_000), pace.grow(999), pace.isBehind, pace.grow(1), pace.isBehind]).toEqual([
    true,
    false,
    true,
    true,
    false,
  ]);
});
