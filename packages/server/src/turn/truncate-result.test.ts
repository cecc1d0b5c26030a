import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { result } from '../test-rows.ts';
import { resultBudgetBytes, truncateResult, truncateText } from './truncate-result.ts';

const bytes = (text: string): number => new TextEncoder().encode(text).length;

it('uses two thirds of its budget for the head and one for the tail, and reports the omission', () => {
  const text = `${'a'.repeat(5_000)}${'b'.repeat(5_000)}`;
  const cut = truncateText(text, 1_156);
  expect(cut).toMatch(/^a{600}\n\[… 9100 bytes are left out here.*…\]\nb{300}$/u);
});

it('never cuts inside a character, and never exceeds its limit', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'ä', '€', '😀', '\u{FEFF}'),
    minLength: 200,
    maxLength: 2_000,
  });
  fc.assert(
    fc.property(text, fc.integer({ min: 512, max: 3_000 }), (whole, maxBytes) => {
      const cut = truncateText(whole, maxBytes);
      expect(bytes(cut)).toBeLessThanOrEqual(maxBytes);
      const [head = '', tail = ''] = cut.split(/\n\[…[^\]]*\]\n/u);
      if (bytes(whole) <= maxBytes) expect(cut).toBe(whole);
      else {
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(head + tail).not.toContain('\uFFFD');
      }
    }),
  );
});

it('cuts results of tools and errors, and JSON as its text', () => {
  const large = 'x'.repeat(2_000);
  expect(truncateResult(result('read', large), 1_000).result).toContain('left out');
  expect(truncateResult(result('read', { a: large }), 1_000).result).toMatch(/^\{"a":"x+/u);
  expect(truncateResult(result('read', { a: 1 }), 1_000).result).toEqual({ a: 1 });
  expect(truncateResult(result(FINALIZER_NAME, large, { is_error: true }), 1_000).result).toContain(
    'left out',
  );
});

it('never cuts an accepted answer', () => {
  const answer = result(FINALIZER_NAME, { a: 'x'.repeat(40_000) });
  expect(truncateResult(answer, 1_000)).toBe(answer);
});

it.each([
  [undefined, 65_536],
  [4_096, 16_384],
  [200_000, 200_000],
])('for a model with a context of %s tokens, limits results to %i bytes', (tokens, expected) => {
  expect(resultBudgetBytes(tokens)).toBe(expected);
});
