/** YAML reader: strictness, limits, and positions. */
import { describe, expect, it } from 'vitest';
import { describeProblem } from '@truecast/core/internal/errors/manifest-error';
import { readYaml } from './yaml-source.ts';

function problemsOf(text: string): readonly string[] {
  return readYaml(text, 'f.yaml').problems.map(describeProblem);
}

describe('a file that is refused', () => {
  it.each([
    ['a doubled key', 'a: 1\nb:\n  c: 1\n  c: 2\n', 'f.yaml:4:3: The key `c` is repeated here. Remove one.'],
    ['a second document', 'a: 1\n---\nb: 2\n', 'f.yaml:2:1: Not valid YAML: '],
    ['a tag', 'a: !!js/function x\n', 'f.yaml:1:4: Not valid YAML: Unresolved tag'],
    ['a tag of its own', '!thing\na: 1\n', 'f.yaml:1:1: Not valid YAML: Unresolved tag'],
    ['another version', '%YAML 1.1\n---\na: yes\n', 'f.yaml:3:1: Expected YAML 1.2.'],
    ['a tab', 'a:\n\tb: 1\n', 'f.yaml:2:1: Not valid YAML: Tabs'],
    ['an open bracket', 'a: [1\n', 'f.yaml:2:1: Not valid YAML: '],
    ['a key that is a list', '? [a]\n: 1\n', 'f.yaml:1:3: Not valid YAML: '],
    ['a prototype key', 'a:\n  __proto__: { b: 1 }\n', 'f.yaml:2:3: `__proto__` is a reserved key.'],
    ['an alias of nothing', 'a: *b\n', 'f.yaml:1:4: No anchor `&b` is defined before this alias.'],
    [
      'an alias of aliases',
      'a: &a [1]\nb: &b [*a, *a]\nc: *b\n',
      'f.yaml:3:4: The alias `*b` repeats other aliases.',
    ],
    ['an alias of itself', 'a: &a { b: *a }\n', 'f.yaml:1:12: The alias `*a` repeats other aliases.'],
    [
      'many aliases',
      `a: &a 1\nb: [${Array.from({ length: 33 }, () => '*a').join(', ')}]\n`,
      'f.yaml:2:133: More than 32 aliases.',
    ],
    [
      'a text too long',
      `a: ${'x'.repeat(65_534)}`,
      'f.yaml:1:1: Expected at most 65536 characters, got 65537.',
    ],
  ])('%s', (_, text, expected) => {
    const problems = problemsOf(text);
    expect(problems.find((problem) => problem.startsWith(expected)) ?? problems).toContain(expected);
  });

  it.each(['['.repeat(60_000), '- '.repeat(30_000), '{'.repeat(60_000)])(
    'with thousands of levels of nesting is reported as such, once',
    (text) => {
      const problems = readYaml(text, 'f.yaml').problems;
      expect(problems).toHaveLength(1);
      expect(problems[0]?.message).toBe('The nesting is too deep.');
    },
  );

  it('reports at most twenty errors for one mistake', () => {
    expect(problemsOf(`x: ${'a: '.repeat(100)}`)).toHaveLength(20);
  });
});

describe('a file that is read', () => {
  it('has the values of YAML 1.2: yes, no and times are texts', () => {
    const { source } = readYaml('a: yes\nb: no\nc: 12:30\nd: 0o17\ne: ~\n', 'f.yaml');
    expect(source?.value).toEqual({ a: 'yes', b: 'no', c: '12:30', d: 15, e: null });
  });

  it('resolves aliases', () => {
    expect(readYaml('a: &p [1]\nb: *p\n', 'f.yaml').source?.value).toEqual({ a: [1], b: [1] });
  });

  it('places a problem at a value, at a key, behind an alias, and at what is nearest above', () => {
    const { source } = readYaml('\uFEFFa: &x\n  b:\n    - 1\n    - two\nc: *x\nd:\n', 'f.yaml');
    const placeOf = (...args: Parameters<NonNullable<typeof source>['problem']>): unknown => {
      const problem = source?.problem(...args);
      return [problem?.line, problem?.column];
    };
    expect(placeOf(['a', 'b', 1], '')).toEqual([4, 7]);
    expect(placeOf(['a', 'b'], '', { at: 'key' })).toEqual([2, 3]);
    expect(placeOf(['c', 'b', 1], '')).toEqual([4, 7]);
    expect(placeOf(['a', 'none', 'deeper'], '')).toEqual([2, 3]);
    expect(placeOf(['d', 'x'], '')).toEqual([6, 3]);
  });
});
