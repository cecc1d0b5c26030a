/** Tests of sentences about refused attempts: the place of an issue, what came there, and reasons without one. */
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../json/exact-value.ts';
import { describeRefusal, placedIssue, withGot } from './describe-refusal.ts';

describe('describeRefusal', () => {
  it.each([
    [{ path: '/line', rule: 'Expected integer', got: '"twelve"' }, '/line expected integer, got "twelve"'],
    [{ path: '', rule: 'Expected less' }, 'expected less'],
    // The field that is missing, not the object that lacks it.
    [{ path: '', rule: 'Missing required property `why`', got: '{"file":"a"}' }, '/why is missing'],
  ])('of the issue %j is one line', (issue, line) => {
    expect(describeRefusal({ code: 'invalid', issues: [issue] })).toBe(line);
    expect(describeRefusal({ code: 'invalid', issues: [issue, issue, issue] })).toBe(`${line}, and 2 more`);
  });

  it('without an issue says why there was no value, and shows a later code as it is', () => {
    expect(describeRefusal({ code: 'empty' })).toBe('empty reply');
    expect(describeRefusal({ code: 'text_only', issues: [] })).toBe('text instead of an answer');
    expect(describeRefusal({ code: 'of_tomorrow' })).toBe('of_tomorrow');
  });
});

describe('placedIssue', () => {
  it.each([
    ['', 'Missing required property `why`', '/why', 'Is missing'],
    ['/parties/1', 'Missing required property `a/b~c`', '/parties/1/a~1b~0c', 'Is missing'],
    ['', 'Missing required property `b`, which `a` requires', '/b', 'Is missing, which `a` requires'],
    ['/line', 'Expected integer', '/line', 'Expected integer'],
  ])('of %j %s is at %s', (path, rule, place, text) => {
    expect(placedIssue({ path, rule })).toMatchObject({ path: place, rule: text });
  });
});

describe('withGot', () => {
  const value = { 'a/b': 1, long: 'x'.repeat(99), exact: new ExactNumber('12345678901234567891') };
  const gotAt = (path: string): string | undefined => withGot({ path, rule: 'R' }, value).got;

  it('is what came at the place of an issue, in at most 80 characters', () => {
    expect(gotAt('/a~1b')).toBe('1');
    expect(gotAt('/long')).toBe(`"${'x'.repeat(78)}…`);
    expect(gotAt('')).toHaveLength(80);
  });

  it.each(['/none', '/toString', '/a~1b/c'])('has nothing at %s, where nothing came', (path) => {
    expect(withGot({ path, rule: 'R' }, value)).toEqual({ path, rule: 'R' });
  });

  it('keeps the digits of a number that a double rounds', () => {
    expect(gotAt('/exact')).toBe('12345678901234567891');
    expect(withGot({ path: '', rule: 'R' }, [value.exact]).got).toBe('[12345678901234567891]');
  });
});
