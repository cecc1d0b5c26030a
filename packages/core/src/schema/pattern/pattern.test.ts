import { describe, expect, it } from 'vitest';
import { createPattern } from './pattern.ts';

/** Counts units and never throws. */
class Meter {
  units = 0;
  spend(units: number): void {
    this.units += units;
  }
}

function matches(source: string, text: string): boolean {
  return createPattern(source).matches(text, new Meter());
}

function unitsFor(source: string, text: string): number {
  const meter = new Meter();
  createPattern(source).matches(text, meter);
  return meter.units;
}

describe('a pattern', () => {
  it.each([
    ['^(?:(?=a*b)a)*b$', 'aaaab', true],
    ['^(?:(?=a{2,}b|ab)a)*b$', 'aaaab', true],
    ['^a*(?:b|(?=a)a)$', 'aaa', true],
    ['(?<=^[a-z]{2,4})-', 'abc-', true],
    ['(?<!\\d)\\d{3}(?!\\d)', 'x1234 567', true],
    ['(?<year>\\d{4})-\\k<year>', '2024-2024', true],
    ['^(?:(a)|b)*\\1$', 'ab', true],
    ['^(a?)*?\\1b$', 'aab', true],
    ['\\bfoo\\b', 'a foo.', true],
    ['^[^]$', '\n', true],
    ['^.$', '\u2028', false],
    ['[]', 'a', false],
    ['^\\cJ$', '\n', true],
    ['^\\0$', '\0', true],
    ['^[\\b]$', '\b', true],
    ['^\\/\\^\\$$', '/^$', true],
    ['^\\ud83d\\ude00$', '😀', true],
    ['^\\u{1f600}{2}$', '😀😀', true],
    ['^[😀-😎]$', '😃', true],
    ['^\\P{ASCII}$', 'é', true],
    ['^[\\p{L}\\d_]+$', 'añ_9', true],
    ['^(?:a{0,100000})$', 'aaa', true],
  ])('%s on %j: %s', (source, text, expected) => {
    expect(matches(source, text)).toBe(expected);
  });

  it.each([
    ['^[\\w-\\.]+$', 'a-.', true],
    ['^\\-a\\_$', '-a_', true],
    ['a{,5}', 'a{,5}', true],
    ['^]$', ']', true],
    ['^\\u{61}\\-$', `${'u'.repeat(61)}-`, true],
    ['^\\1(a)\\2$', 'a\u0002', true],
    ['^\\101$', 'A', true],
    ['^\\k<a>\\-$', 'k<a>-', true],
  ])('%s is read as without the `u` flag', (source, text, expected) => {
    expect(() => new RegExp(source, 'u')).toThrow(SyntaxError);
    expect(matches(source, text)).toBe(expected);
    expect(new RegExp(source).test(text)).toBe(expected);
  });

  it('reuses a look-ahead result at a later position', () => {
    // Long enough to restart with memoization.
    const text = `${'a'.repeat(600)}b`;
    expect(matches('^(?:(?=(?:a|aa)*b)a)*b$', text)).toBe(true);
    expect(matches('^(?:(?!(?:a|aa)*c)a)*b$', text)).toBe(true);
    expect(matches('^(?:(?=(?:a|aa)*c)a)*b$', text)).toBe(false);
  });

  it.each(['^(a+)+$', '^(a|aa)+$', '(x+x+)+y', '^(?:a*)*b', 'a*b', '[a-z]+@', '^(?=.*b)(?:a|b)*$', '\\s+$'])(
    'needs linear work: %s',
    (source) => {
      const [short, long] = [1000, 8000].map((length) =>
        unitsFor(source, `${'ax '.repeat(length / 4)}${'a'.repeat(length / 4)}!`),
      );
      expect((long ?? 0) / (short ?? 1)).toBeLessThan(10);
    },
  );

  it('charges for writing the program, once', () => {
    const meter = new Meter();
    const pattern = createPattern('^(?:ab){500}$');
    pattern.matches('x', meter);
    const first = meter.units;
    pattern.matches('x', meter);
    expect(first).toBeGreaterThan(1000);
    expect(meter.units - first).toBeLessThan(10);
  });
});
