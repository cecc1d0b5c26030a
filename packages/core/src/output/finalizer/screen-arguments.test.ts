import { expect, it } from 'vitest';
import { DEFAULT_FINALIZER_LIMITS, screenArguments } from './screen-arguments.ts';

function screen(text: string, limits: Partial<typeof DEFAULT_FINALIZER_LIMITS> = {}): unknown {
  return screenArguments(text, { ...DEFAULT_FINALIZER_LIMITS, ...limits });
}

it('returns the answer with its text, whose numbers keep their digits', () => {
  expect(screen(' { "output" : [9007199254740993, 1.0] } ')).toEqual({
    type: 'screened',
    value: [9_007_199_254_740_992, 1],
    raw: '[9007199254740993, 1.0]',
  });
});

it.each(['{}', '{"answer":1}', '{"output":1,"note":2}', '[1]', '"output"', '7', 'null'])(
  'accepts only the envelope: %s',
  (text) => {
    expect(screen(text)).toEqual({ type: 'not-enveloped' });
  },
);

it.each([
  ['{"output":', 'end'],
  ['{"output":1} {"output":2}', ''],
  ['{"output":{"a":1,"b":{"a":2},"a":3}}', 'the key `a` is repeated'],
  [String.raw`{"output":{"a":1,"\u0061":3}}`, 'the key `a` is repeated'],
  ['{"output":1,"output":2}', 'the key `output` is repeated'],
  [String.raw`{"output":"\u0000"}`, 'NUL'],
  [String.raw`{"output":["\ud83d"]}`, 'surrogate'],
  [String.raw`{"output":{"\ud83d":1}}`, 'surrogate'],
  ['{"output":{"__proto__":1}}', 'prototype'],
  ['{"output":[1,-1e400]}', 'out of range'],
])('refuses %s', (text, reason) => {
  expect(screen(text)).toMatchObject({ type: 'malformed', reason: expect.stringContaining(reason) });
});

it('takes the same key in different objects, and a whole pair of surrogates', () => {
  expect(screen(String.raw`{"output":[{"a":1},{"a":{"a":"\ud83d\ude00"}}]}`)).toMatchObject({
    type: 'screened',
  });
});

it('counts bytes, not characters', () => {
  const text = JSON.stringify({ output: 'ä'.repeat(10) });
  expect(screen(text, { maxBytes: 33 })).toMatchObject({ type: 'screened' });
  expect(screen(text, { maxBytes: 32 })).toEqual({ type: 'too-large' });
});

it('bounds depth and values', () => {
  expect(screen('{"output":[[1]]}', { maxDepth: 3 })).toMatchObject({ type: 'screened' });
  expect(screen('{"output":[[1]]}', { maxDepth: 2 })).toMatchObject({ type: 'malformed' });
  expect(screen('{"output":[1,2]}', { maxValues: 4 })).toMatchObject({ type: 'screened' });
  expect(screen('{"output":[1,2]}', { maxValues: 3 })).toMatchObject({ type: 'malformed' });
});

it('reads any depth that fits its size', () => {
  const text = `{"output":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  expect(screen(text)).toMatchObject({ type: 'malformed', reason: expect.stringContaining('deeper') });
});
