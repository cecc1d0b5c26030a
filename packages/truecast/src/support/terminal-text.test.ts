import { assert, constantFrom, array, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../../test/any-text.ts';
import { columnsOf, fitToColumns, toTerminalText } from './terminal-text.ts';

// eslint-disable-next-line no-control-regex -- what must not be there
const STEERING = /[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u;

test.each([
  ['a title', 'a\u001B]0;owned\u0007b'],
  ['a clipboard write', 'a\u001B]52;c;ZXZpbA==\u001B\\b'],
  ['a link', '\u001B]8;;http://evil.invalid\u001B\\a\u001B]8;;\u001B\\b'],
  ['colours and a wipe', '\u001B[2J\u001B[31ma\u001B[Hb'],
  ['eight-bit sequences', 'a\u009B31mb'],
  ['a sequence that is cut off', 'ab\u001B['],
  ['an escape in front of a sequence', '\u001B\u001B[31mab'],
])('lets %s through as nothing that a terminal obeys', (_title, text) => {
  expect(toTerminalText(text)).not.toMatch(STEERING);
});

test('keeps to one line and to one direction', () => {
  expect(toTerminalText(' a\r\nb\t\u202Ec\u2066d\u200De ')).toBe('a b cde');
});

test('lets no text steer a terminal, whatever it is made of', () => {
  const pieces = constantFrom(
    '\u001B',
    '[',
    ']',
    '31m',
    '\u009B',
    '0;',
    '\u0007',
    '\\',
    '\u202E',
    'a',
    '\n',
    '日',
    '\r',
  );
  assert(
    property(array(pieces, { maxLength: 30 }), anyText(), (parts, other) => {
      expect(toTerminalText(parts.join('') + other)).not.toMatch(STEERING);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['日本語', 6],
  ['한글', 4],
  ['ｗｉｄｅ', 8],
  ['😀', 2],
  ['e\u0301', 1],
  ['✓', 1],
])('takes %j for %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test('cuts at a character, with an ellipsis, and never beyond the columns', () => {
  expect(fitToColumns('日本語です', 6)).toBe('日本…');
  expect(fitToColumns('short', 5)).toBe('short');
  const characters = constantFrom('a', '日', '😀', 'e\u0301', ' ');
  assert(
    property(array(characters, { maxLength: 40 }), integer({ min: 2, max: 30 }), (parts, columns) => {
      const cut = fitToColumns(parts.join(''), columns);
      expect(columnsOf(cut)).toBeLessThanOrEqual(columns);
      expect(cut.isWellFormed()).toBe(true);
    }),
  );
});
