import fc from 'fast-check';
import { expect, it } from 'vitest';
import { piecesOf } from './write/answer-encoder.ts';

it('pieces of a text join to it, and none is empty, long, or ends inside of a character', () => {
  const unit = fc.constantFrom('a', '😀', 'é', '\u{10ffff}', '\n');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 5_000, size: 'max' }), (units) => {
      const text = units.join('');
      const pieces = piecesOf(text);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) {
        expect(piece.length).toBeGreaterThan(0);
        expect(piece.length).toBeLessThanOrEqual(1_024);
        expect(piece.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});
