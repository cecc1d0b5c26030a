import { expect, it } from 'vitest';
import { contentOf } from '../judge/judged.ts';
import { isRefusal, readWritten } from '../judge/read-text.ts';
import { Output } from '../output.ts';
import { createFinalizer } from './finalizer.ts';
import { DEFAULT_FINALIZER_LIMITS, screenArguments } from './screen-arguments.ts';

/** Reads arguments as the judge does. Returns the answer in them, or the refusal. */
function screen(text: string, limits: Partial<typeof DEFAULT_FINALIZER_LIMITS> = {}): unknown {
  const all = { ...DEFAULT_FINALIZER_LIMITS, ...limits };
  const read = readWritten(text, { screen: (args) => screenArguments(args, all) }, true);
  if (isRefusal(read)) return read;
  return contentOf(read);
}

it('takes the answer with its text, whose numbers keep their digits', () => {
  expect(screen(' { "output" : [9007199254740993, 1.0] } ')).toEqual({
    value: [9_007_199_254_740_992, 1],
    text: '[9007199254740993, 1.0]',
    isAlone: true,
  });
});

it.each(['{}', '{"answer":1}', '[1]', '"output"', '7', 'null'])('finds no envelope in %s', (text) => {
  expect(screen(text)).toBeUndefined();
});

it.each([
  ['{"output":', 'end'],
  ['{"output":1} {"output":2}', ''],
  ['{"output":{"a":1,"b":{"a":2},"a":3}}', 'the key `a` is repeated'],
  [String.raw`{"output":{"a":1,"\u0061":3}}`, 'the key `a` is repeated'],
  ['{"output":1,"output":2}', 'the key `output` is repeated'],
  [String.raw`{"output":["\ud83d"]}`, 'surrogate'],
  [String.raw`{"output":{"\ud83d":1}}`, 'surrogate'],
  ['{"output":{"__proto__":1}}', 'prototype'],
  ['{"output":[1,-1e400]}', 'out of range'],
])('refuses %s', (text, reason) => {
  expect(screen(text)).toMatchObject({ code: 'invalid-json', reason: expect.stringContaining(reason) });
});

it('accepts NUL, in strings and keys', () => {
  const text = String.raw`{"output":{"a\u0000":"\u0000"}}`;
  expect(screen(text)).toMatchObject({ value: { 'a\0': '\0' } });
});

it.each([
  [String.raw`{"output":{"a":[{"b":1},"\ud83d"]}}`, ['a', 1]],
  [String.raw`{"output":{"a":{"c":1,"\ud83d":1}}}`, ['a', '\ud83d']],
  ['{"output":{"a":[[],{"b":1,"b":2}]}}', ['a', 1, 'b']],
  ['{"output":[0,{"n":1e999}]}', [1, 'n']],
  ['{"output":1,"output":2}', []],
  [String.raw`"\ud83d"`, []],
])('names the path of the problem, without the envelope: %s', (text, path) => {
  expect(screen(text)).toMatchObject({ code: 'invalid-json', path });
});

it('takes the same key in different objects, and a whole pair of surrogates', () => {
  expect(screen(String.raw`{"output":[{"a":1},{"a":{"a":"\ud83d\ude00"}}]}`)).toHaveProperty('text');
});

it('counts bytes, not characters', async () => {
  const text = JSON.stringify({ output: 'ä'.repeat(10) });
  const submit = (maxBytes: number) =>
    createFinalizer(Output.json({}), { limits: { maxBytes } }).submit(text);
  expect(await submit(33)).toMatchObject({ type: 'accepted' });
  expect(await submit(32)).toMatchObject({ type: 'rejected', text: expect.stringContaining('too large') });
});

it('bounds depth and values', () => {
  expect(screen('{"output":[[1]]}', { maxDepth: 3 })).toHaveProperty('text');
  expect(screen('{"output":[[1]]}', { maxDepth: 2 })).toMatchObject({ problem: 'too-deep' });
  expect(screen('{"output":[1,2]}', { maxValues: 4 })).toHaveProperty('text');
  expect(screen('{"output":[1,2]}', { maxValues: 3 })).toMatchObject({ problem: 'too-many-values' });
});

it('reads any depth that fits its size', () => {
  const text = `{"output":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  expect(screen(text)).toMatchObject({ code: 'invalid-json', reason: expect.stringContaining('deeper') });
});
