/** Holds programs without alternatives to what RegExp says of them. */
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
          expect(runStraight(compiled, text) > 0).toBe(regExp.test(text));
        }),
      );
    },
  );

  it.each(['[a-z]+', '^(?:a|b)$', '^a*a$', '^(a)\\1$', '^(?=a)a', '\\bword'])('is not %s', (source) => {
    expect(program(source).isStraight).toBe(false);
  });

  it('takes steps that grow with the text, whether it matches or not', () => {
    const compiled = program('^a*$');
    const stepsOf = (text: string): number => Math.abs(runStraight(compiled, text));
    expect(stepsOf('a'.repeat(2_000))).toBeGreaterThan(900);
    expect(stepsOf(`${'a'.repeat(2_000)}b`)).toBeGreaterThan(900);
  });
});
