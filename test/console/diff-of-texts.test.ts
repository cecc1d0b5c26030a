/** Diff of two texts: the shortest one, and the hunks around its changes. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffOfTexts } from '../../web/src/changes/diff-of-texts.ts';

const text = (...lines: readonly string[]): string => lines.join('\n');

it('has no hunk for equal texts', () => {
  expect(diffOfTexts('a\nb', 'a\nb')).toEqual({ hunks: [], added: 0, removed: 0 });
});

it('has the changed lines with three lines around them, and their numbers', () => {
  const old = text('1', '2', '3', '4', '5', '6', '7', '8');
  expect(diffOfTexts(old, text('1', '2', '3', '4', 'new', '6', '7', '8'))).toEqual({
    hunks: [
      { old_start: 2, new_start: 2, heading: '', lines: [' 2', ' 3', ' 4', '-5', '+new', ' 6', ' 7', ' 8'] },
    ],
    added: 1,
    removed: 1,
  });
});

it('is the shortest: a line between two others is added once', () => {
  const diff = diffOfTexts(
    text('{', 'a', '}', '{', 'b', '}'),
    text('{', 'a', '}', '{', 'x', '}', '{', 'b', '}'),
  );
  expect([diff.added, diff.removed]).toEqual([3, 0]);
});

it('has two hunks for changes that are far apart', () => {
  const lines = Array.from({ length: 40 }, (_, index) => String(index));
  const { hunks } = diffOfTexts(lines.join('\n'), lines.with(2, 'x').toSpliced(30, 1).join('\n'));
  expect(hunks.map((hunk) => [hunk.old_start, hunk.new_start, hunk.lines.length])).toEqual([
    [1, 1, 7],
    [28, 28, 7],
  ]);
});

it('turns the old text into the new one, whatever both contain', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (olds, news) => {
      const { hunks, added, removed } = diffOfTexts(olds.join('\n'), news.join('\n'));
      const result = olds.join('\n').split('\n');
      let moved = 0;
      for (const hunk of hunks) {
        const kept = hunk.lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
        const made = hunk.lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
        const at = hunk.old_start - 1 + moved;
        expect(result.slice(at, at + kept.length)).toEqual(kept);
        expect(hunk.new_start).toBe(hunk.old_start + moved);
        result.splice(at, kept.length, ...made);
        moved += made.length - kept.length;
      }
      expect(result.join('\n')).toBe(news.join('\n'));
      expect(added - removed).toBe(moved);
    }),
    { numRuns: 1_000, seed: 20_261_129 },
  );
});

it('shows a text with too many changed lines as replaced', () => {
  const lines = (name: string): string =>
    Array.from({ length: 600 }, (_, index) => `${name} ${index}`).join('\n');
  expect(diffOfTexts(lines('old'), `same\n${lines('new')}`)).toMatchObject({ added: 601, removed: 600 });
});
