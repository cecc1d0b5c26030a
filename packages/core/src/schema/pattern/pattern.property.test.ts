import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { matrixRuns } from '../../../../../test/matrix.ts';
import { createPattern } from './pattern.ts';

const ATOMS = [
  'a',
  'b',
  'é',
  '😀',
  '.',
  '\\d',
  '\\w',
  '\\S',
  '\\s',
  '[ab]',
  '[^a]',
  '[b-y-]',
  '[\\w.]',
  '\\p{L}',
  '\\P{Lu}',
  '\\u0061',
  '\\u{1F600}',
  '\\x62',
  '\\b',
  '\\B',
  '^',
  '$',
  '[]',
  '[^]',
  '\\n',
  '[\\s\\S]',
  '\\1',
  '\\2',
];
const QUANTIFIERS = ['', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '{2,3}', '*?', '+?', '??', '{1,2}?'];

const pattern: fc.Arbitrary<string> = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(...ATOMS),
    fc
      .tuple(fc.constantFrom(...ATOMS.slice(0, 18)), fc.constantFrom(...QUANTIFIERS))
      .map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => `(?:${parts.join('|')})`),
    fc
      .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.constantFrom(...QUANTIFIERS))
      .map(([open, body, quantifier]) => `${open}${body})${quantifier}`),
    fc
      .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('pattern'))
      .map(([open, body]) => `${open}${body})`),
  ),
})).pattern;

const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'A', '1', ' ', '\n', 'é', '😀', '-', '.', '\ud83d'),
  maxLength: 9,
});

/**
 * V8 also looks for matches inside surrogate pairs, against the specification. The test gives it
 * each start.
 */
function matchesNatively(native: RegExp, value: string): boolean {
  let at = 0;
  for (const character of `${value}\0`) {
    native.lastIndex = at;
    if (native.test(value)) return true;
    at += character.length;
  }
  return false;
}

const meter = { spend: (): void => undefined };

it('agrees with RegExp on every pattern and text', () => {
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 4, maxLength: 4 }), (source, texts) => {
      let native: RegExp;
      try {
        native = new RegExp(source, 'uy');
      } catch {
        fc.pre(false);
        return;
      }
      const own = createPattern(source);
      for (const value of texts) {
        expect([source, value, own.matches(value, meter)]).toEqual([
          source,
          value,
          matchesNatively(native, value),
        ]);
      }
    }),
    { numRuns: matrixRuns(600, 4_000), seed: 20_261_121 },
  );
});

it('agrees with RegExp when every position is remembered', () => {
  fc.assert(
    fc.property(pattern, text, (source, part) => {
      let native: RegExp;
      try {
        native = new RegExp(`^(?:a|a?)+(?:${source})c$`, 'uy');
      } catch {
        fc.pre(false);
        return;
      }
      // This ambiguity uses up the steps before memoization.
      const value = `${'a'.repeat(8)}${part}`;
      expect(createPattern(native.source).matches(value, meter)).toBe(matchesNatively(native, value));
    }),
    { numRuns: matrixRuns(300, 2_000), seed: 20_261_121 },
  );
});
