import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalOf, findInexact, findSuspect } from './find-inexact.ts';

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
    [String.raw`{"a":["\ud83d\ude00","x\ud800"]}`, ['half-surrogate', 'a', 1]],
    ['{"a":"\ude00"}', ['half-surrogate', 'a']],
    [String.raw`{"b":{"\uDEAD":1}}`, ['half-surrogate', 'b', '\udead']],
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
    String.raw`{"a":"\ud83d\ude00 \u0000 \\ud800"}`,
    '[]',
  ])('%s is', (text) => {
    expect(found(text)).toBeUndefined();
  });

  it('that JSON.stringify wrote is always represented exactly', () => {
    fc.assert(fc.property(fc.json(), (text) => found(JSON.stringify(JSON.parse(text))) === undefined));
  });
});

it('a value from another parser might be rounded from 2^53 to 10^21, or hold half of a surrogate pair', () => {
  expect(findSuspect({ a: [1, { id: 2 ** 53 }] })?.path).toEqual(['a', 1, 'id']);
  expect(findSuspect({ a: ['x', { id: 'a\ud800' }] })?.path).toEqual(['a', 1, 'id']);
  expect(findSuspect({ a: [2 ** 53 - 1, 6.022e23, 0.5, '9007199254740993'] })).toBeUndefined();
});

it.each([
  ['1200', '12e2'],
  ['0012', '12e0'],
  ['100100', '1001e2'],
  ['0.0120', '12e-3'],
  ['-1.50e3', '-15e2'],
  ['1E+2', '1e2'],
  ['-0.00', '0'],
  ['0e9', '0'],
])('the decimal form of %s is %s', (literal, form) => {
  expect(decimalOf(literal)).toBe(form);
});
