/**
 * Limits of the scanner: counted steps and held characters on adversarial texts, and the same
 * result for any split of a text.
 */
import { array, assert, constantFrom, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import { NeedleAutomaton } from './needle-automaton.ts';
import { createSecretMask } from './secret-mask.ts';
import { SecretScanner } from './secret-scanner.ts';
import { toNeedles } from './secret-values.ts';
import { TOKEN_SHAPES } from './token-shapes.ts';

/** What an open candidate holds back: the longest undecided header of a shape. */
const MAX_OPEN_CHARS = 1_400;

const SECRETS = ['aaaaaaaa', 'aaaabbbb', 'aaaabbbbaaaa', 'babababab', 'bbbbaaaabbbbaa'];
const TOKENS = [
  'sk-',
  'eyJ',
  '.',
  '://',
  ':',
  '@',
  'Bearer ',
  '-----BEGIN ',
  'PRIVATE KEY-----',
  '-----END ',
  'AKIA',
  '…',
  '\n',
];

test('masks the same however the text is cut, and keeps its length', () => {
  const { mask, stream } = createSecretMask(SECRETS);
  const text = array(constantFrom('a', 'b', 'aaaa', 'bbbb', 'x', 'A1'.repeat(10), ...SECRETS, ...TOKENS), {
    maxLength: 16,
  });
  assert(
    property(text, array(nat({ max: 9 }), { minLength: 1, maxLength: 8 }), (pieces, sizes) => {
      const whole = pieces.join('');
      const pieceByPiece = stream();
      let out = '';
      for (let at = 0, turn = 0; at < whole.length; turn += 1) {
        const size = 1 + (sizes[turn % sizes.length] ?? 0);
        out += pieceByPiece.push(whole.slice(at, at + size));
        at += size;
      }
      out += pieceByPiece.end();
      expect(out).toBe(mask(whole));
      expect(out).toHaveLength(whole.length);
      for (const secret of SECRETS) expect(out).not.toContain(secret);
    }),
    { numRuns: 1_000 },
  );
});

const CHARS = 200_000;

test.each([
  'a',
  'aaaaaaab',
  'sk-',
  '-sk-',
  'eyJ',
  'eyJa.',
  '://',
  'x://a:b',
  'Bearer ',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  'hooks.slack.com/services/',
  'ghp_',
  '…aaaaaaa',
  'aaaaaaaa\n',
  'a\r\n',
])(
  'takes a bounded number of steps for each character of `%s` repeated, and holds a bounded number back',
  (unit) => {
    const automaton = new NeedleAutomaton(toNeedles([`${'a'.repeat(500)}b`, 'abababababab']), TOKEN_SHAPES);
    const scanner = new SecretScanner(automaton);
    const text = unit.repeat(Math.ceil(CHARS / unit.length));
    let most = 0;
    for (let at = 0; at < text.length; at += 997) {
      scanner.push(text.slice(at, at + 997));
      most = Math.max(most, scanner.heldChars);
    }
    expect(automaton.steps).toBeLessThanOrEqual(2 * text.length);
    expect(scanner.candidateSteps).toBeLessThanOrEqual(4 * text.length);
    expect(most).toBeLessThanOrEqual(MAX_OPEN_CHARS);
  },
);
