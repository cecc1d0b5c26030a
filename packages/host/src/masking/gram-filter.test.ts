/** The filter leaves out no beginning of a needle, and few other positions are left in. */
import { array, assert, constantFrom, integer, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { GramFilter } from './gram-filter.ts';
import { NeedleAutomaton } from './needle-automaton.ts';
import { SecretScanner } from './secret-scanner.ts';
import { toNeedles } from './secret-values.ts';
import { TOKEN_SHAPES } from './token-shapes.ts';

const PIECES = ['sk-', 'abcd', 'abc', 'ab', 'a', 'Ā', '😀', '\n', '\r\n', 'xyz12', 'x'];

test('lists each position where a needle begins, also where a line break splits it', () => {
  const needles = array(constantFrom('sk-', 'abcd', 'xyz12', 'Ābc', 'a😀b'), { minLength: 1, maxLength: 4 });
  const text = array(constantFrom(...PIECES), { maxLength: 30 });
  assert(
    property(needles, text, string(), (wanted, pieces, longer) => {
      const whole = pieces.join('');
      const filter = new GramFilter(wanted);
      // An earlier, longer text leaves nothing in the buffer.
      filter.starts(longer + whole + longer);
      const starts = new Set(filter.starts(whole));
      const last = Math.max(0, whole.length - 3);
      for (let at = 0; at < last; at += 1) {
        const isSplit = ['\r', '\n'].includes(whole[at + 3] ?? '');
        const begins = wanted.some((needle) => whole.startsWith(isSplit ? needle.slice(0, 3) : needle, at));
        if (begins) expect(starts).toContain(at);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('lists few positions of ordinary text, so that the scanner looks at few characters', () => {
  const automaton = new NeedleAutomaton(toNeedles(['a-value-that-occurs-nowhere']), TOKEN_SHAPES);
  const scanner = new SecretScanner(automaton);
  const line = '{"path":"src/output/scan.ts","line":12,"note":"I ran the \\"tests\\"; they pass."}\n';
  const text = line.repeat(2_000);
  expect(scanner.push(text) + scanner.end()).toBe(text);
  expect(automaton.steps).toBeLessThan(text.length / 100);
});

test('masks a value at each offset of a long text, however it is aligned', () => {
  const secret = 'a-value-of-a-test';
  const automaton = new NeedleAutomaton(toNeedles([secret]), TOKEN_SHAPES);
  assert(
    property(integer({ min: 65_500, max: 65_600 }), integer({ min: 0, max: 3 }), (offset, pad) => {
      const text = 'é'.repeat(pad) + '-'.repeat(offset) + secret + '.'.repeat(pad);
      const scanner = new SecretScanner(automaton);
      expect(scanner.push(text) + scanner.end()).toBe(text.replace(secret, '*'.repeat(secret.length)));
    }),
  );
});
