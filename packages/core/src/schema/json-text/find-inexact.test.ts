import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInexact, findRounded } from './find-inexact.ts';

const found = (text: string): unknown => {
  const part = findInexact(text, JSON.parse(text));
  return part === undefined ? undefined : [part.kind, ...part.path];
};

describe('JSON text', () => {
  it.each([
    ['{"a":[1,{"id":9007199254740993}]}', ['integer', 'a', 1, 'id']],
    ['[1, 2, 1e400]', ['out-of-range', 2]],
    ['-1e309', ['out-of-range']],
    ['{"a":1,"b":{"c":1,"c":2}}', ['doubled-key', 'b', 'c']],
    [String.raw`{"a":"x","a":"y"}`, ['doubled-key', 'a']],
    [String.raw`{"a\u003a":"x","a:":"y"}`, ['doubled-key', 'a:']],
    ['{"a":{"x":[[],{}],"n":12345678901234567890}}', ['integer', 'a', 'n']],
  ])('%s is not represented exactly', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    '{"a":"9007199254740993:1e400","b:":[{"c":1},{"c":2}]}',
    '9007199254740992',
    '1e22',
    '1.5e300',
    '0.1234567890123456789',
    '{"time":"12:30:00"}',
    '[]',
  ])('%s is', (text) => {
    expect(found(text)).toBeUndefined();
  });

  it('that JSON.stringify wrote is always represented exactly', () => {
    fc.assert(fc.property(fc.json(), (text) => found(JSON.stringify(JSON.parse(text))) === undefined));
  });
});

it('a value from another parser might be rounded from 2^53 to 10^21', () => {
  expect(findRounded({ a: [1, { id: 2 ** 53 }] })?.path).toEqual(['a', 1, 'id']);
  expect(findRounded({ a: [2 ** 53 - 1, 6.022e23, 0.5, '9007199254740993'] })).toBeUndefined();
});
