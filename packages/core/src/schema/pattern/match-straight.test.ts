/** Programs without alternatives agree with RegExp. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from './compile-pattern.ts';
import { runStraight } from './match-straight.ts';
import { parsePattern } from './parse-pattern.ts';

const program = (source: string): ReturnType<typeof compilePattern> => compilePattern(parsePattern(source));

describe('a straight program', () => {
  it.each(['^[a-z][a-z0-9-]*$', '^abc$', '^\\d{4}-\\d{2}$', '^a', '^[^x]*$', '^.{2,3}$', '^😀+$', '^$'])(
    'is %s, and matches what RegExp does',
    (source) => {
      const compiled = program(source);
      expect(compiled.isStraight).toBe(true);
      const regExp = new RegExp(source, 'u');
      const texts = fc.string({
        unit: fc.constantFrom('a', 'b', 'c', 'x', '-', '0', '7', '\n', '😀', '\ud83d'),
        maxLength: 8,
      });
      fc.assert(
        fc.property(texts, (text) => {
          expect(runStraight(compiled, text, { spend: () => undefined }) > 0).toBe(regExp.test(text));
        }),
      );
    },
  );

  it.each(['[a-z]+', '^(?:a|b)$', '^a*a$', '^(a)\\1$', '^(?=a)a', '\\bword'])('is not %s', (source) => {
    expect(program(source).isStraight).toBe(false);
  });

  it('pays for each stretch of a long text, whether it matches or not', () => {
    const compiled = program('^a*$');
    const costOf = (text: string): number => {
      let cost = 0;
      const steps = runStraight(compiled, text, { spend: (units) => (cost += units) });
      return cost + Math.abs(steps);
    };
    for (const end of ['', 'b']) {
      expect(costOf(`${'a'.repeat(2_000)}${end}`)).toBeGreaterThan(999);
      expect(costOf(`${'a'.repeat(20_000)}${end}`)).toBeGreaterThan(9_999);
    }
  });

  it('stops in the middle of a text that costs too much', () => {
    let left = 5_000;
    const spend = (units: number): void => {
      left -= units;
      if (left < 0) throw new RangeError('enough');
    };
    expect(() => runStraight(program('^a*$'), 'a'.repeat(1_000_000), { spend })).toThrow('enough');
    expect(left).toBeGreaterThan(-1_000);
  });

  it('pays more for a Unicode property, which the host evaluates', () => {
    const costOf = (source: string): number =>
      Math.abs(runStraight(program(source), 'é'.repeat(500), { spend: () => undefined }));
    expect(costOf('^\\p{L}*$')).toBeGreaterThan(10 * costOf('^[^x]*$'));
  });
});
