import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromStoredText, toStoredText } from './stored-text.ts';

/** Any JavaScript string, rich in characters that databases reject and that the encoding uses. */
const anyString = fc
  .array(
    fc.oneof(
      fc.constantFrom('\0', '\u0010', '\u0010d800', '0000', '\uD83D', '\uDE00', '😀', 'a'),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
  )
  .map((parts) => parts.join(''));

it('returns every string unchanged', () => {
  fc.assert(fc.property(anyString, (text) => fromStoredText(toStoredText(text)) === text));
});

it('contains nothing that a database rejects or changes', () => {
  fc.assert(
    fc.property(anyString, (text) => {
      expect(toStoredText(text)).not.toContain('\0');
      expect(toStoredText(text).isWellFormed()).toBe(true);
    }),
  );
});

it('leaves JSON text unchanged', () => {
  fc.assert(fc.property(anyString, (text) => toStoredText(JSON.stringify(text)) === JSON.stringify(text)));
});
