import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../../test/matrix.ts';
import { JsonReader, unwrapFence } from './json-reader.ts';

/** Near-JSON: text that agents write between tags, broken in typical ways. */
const nearJson = fc
  .tuple(
    fc.constantFrom('', ' ', '\n', '\u00A0', '\uFEFF'),
    fc.constantFrom('', '```', '```json', '```JSON\n', '````\n', '```json5\n', '``', '```jsonc\n', '``` '),
    fc.oneof(
      fc.json(),
      fc
        .array(
          fc.constantFrom(
            '{',
            '}',
            '[',
            ']',
            '"',
            '\\',
            'a',
            ':',
            ',',
            '1',
            '-',
            '0',
            '.',
            'e',
            '+',
            'true',
            'null',
            'fals',
            ' ',
            '\n',
            '\\u00e9',
            '\\x',
            '\u0001',
            '`',
            '"a"',
            '"a":1',
          ),
          { maxLength: 8 },
        )
        .map((parts) => parts.join('')),
    ),
    fc.constantFrom('', '```', '\n```', '````', '``', '\r\n```\n', ' '),
    fc.constantFrom('', ' ', '\n', 'x', '\u2028'),
  )
  .map((parts) => parts.join(''));

const accepts = (text: string): boolean => {
  try {
    JSON.parse(unwrapFence(text));
    return true;
  } catch {
    return false;
  }
};

describe('a JSON reader', () => {
  it('is complete exactly when trimming, unwrapping and JSON.parse succeed', () => {
    fc.assert(
      fc.property(nearJson, (text) => {
        const reader = new JsonReader();
        reader.read(text, 0, text.length);
        expect(reader.isComplete).toBe(accepts(text));
      }),
      { numRuns: matrixRuns(1_000, 5_000) },
    );
  });

  it('says the same however the text is cut', () => {
    fc.assert(
      fc.property(nearJson, fc.nat(), (text, cut) => {
        const whole = new JsonReader();
        whole.read(text, 0, text.length);
        const pieces = new JsonReader();
        const at = text.length === 0 ? 0 : cut % text.length;
        pieces.read(text.slice(0, at), 0, at);
        for (const char of text.slice(at)) for (const unit of char.split('')) pieces.read(unit, 0, 1);
        const stateOf = (reader: typeof whole): unknown => [
          reader.isDead,
          reader.isComplete,
          reader.isInString,
          reader.isBegun,
        ];
        expect(stateOf(pieces)).toEqual(stateOf(whole));
      }),
      { numRuns: matrixRuns(500, 2_000) },
    );
  });
});
