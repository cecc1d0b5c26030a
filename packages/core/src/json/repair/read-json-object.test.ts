/** Repairs of the tolerant parser: for each text its value and labels, or that it is cut or ambiguous. */
import { describe, expect, it } from 'vitest';
import { readJsonObject } from './read-json-object.ts';
import { readString } from './read-string.ts';

it.each<[text: string, value: object, repairs: readonly string[]]>([
  ['{}', {}, []],
  [' { "a" : [ 1 , -2.5e+3 , { } , [ ] ] } '.trim(), { a: [1, -2500, {}, []] }, []],
  ['{"a":true,"b":false,"c":null}', { a: true, b: false, c: null }, []],
  ['{"a":True,"b":False,"c":None}', { a: true, b: false, c: null }, ['python-literal']],
  ['{a:1, b_2:"x"}', { a: 1, b_2: 'x' }, ['bare-key']],
  ['{"a":1,}', { a: 1 }, ['trailing-comma']],
  ['{"a":[1,],}', { a: [1] }, ['trailing-comma']],
  ['{"a":1 "b":2}', { a: 1, b: 2 }, ['missing-comma']],
  ['{"a":1 // one\n // two\n,"b":2}', { a: 1, b: 2 }, ['comment']],
  ["{'a':'x'}", { a: 'x' }, ['quotes']],
  ['{“a”:„x“}', { a: 'x' }, ['quotes']],
  ["{'a':‘it’}", { a: 'it' }, ['quotes']],
  ['{`a`:`x`}', { a: 'x' }, ['quotes']],
  ['{"a":"x\ny"}', { a: 'x\ny' }, ['raw-newline']],
  ['{"a":"say "hi" now"}', { a: 'say "hi" now' }, ['inner-quotes']],
  ['{"a":"5" tall","b":1}', { a: '5" tall', b: 1 }, ['inner-quotes']],
  [String.raw`{"a":"\'\*\x41"}`, { a: "'*A" }, ['escape']],
  [String.raw`{"a":"\"\\\/\b\f\n\r\t\u00e9"}`, { a: '"\\/\b\f\n\r\té' }, []],
  ['{"a":{"b":[{"c":1}]},"d":2}', { a: { b: [{ c: 1 }] }, d: 2 }, []],
  ['{"a":0,"b":-0.5,"c":1E2}', { a: 0, b: -0.5, c: 100 }, []],
  ['{a:True,"b":1,}', { a: true, b: 1 }, ['bare-key', 'python-literal', 'trailing-comma']],
])('%s is read', (text, value, repairs) => {
  const { status, found, end, isBegun } = readJsonObject(text, 0);
  expect({ status, end, repairs: found?.repairs, value: found?.value }).toEqual({
    status: 'complete',
    end: text.length,
    repairs,
    value,
  });
  expect(isBegun).toBe(text !== '{}');
  expect(found).toMatchObject({ start: 0, end: text.length });
});

it('keeps a key that could reach a prototype as an own key', () => {
  const value = readJsonObject('{"__proto__":{"a":1}}', 0).found?.value ?? {};
  expect(Object.keys(value)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

it('reads from its brace to the end of the object', () => {
  const { found, end } = readJsonObject('so {"a":1} and', 3);
  expect([found?.start, found?.end, end]).toEqual([3, 10, 10]);
});

it.each<[text: string, kept: string | undefined, value: object | undefined]>([
  ['{', undefined, {}],
  ['{"a', undefined, {}],
  ['{"a"', undefined, {}],
  ['{"a" ', undefined, {}],
  ['{"a":', undefined, {}],
  ['{"a":1', undefined, {}],
  ['{"a":1,', undefined, { a: 1 }],
  ['{"a":1 ', undefined, { a: 1 }],
  ['{"a":tr', undefined, {}],
  ['{"a":[1, 2', undefined, { a: [1] }],
  ['{"a":"x', undefined, {}],
  ['{"a":"x', 'a', { a: 'x' }],
  ['{"a":"x', 'b', {}],
  [String.raw`{"a":"x\u00`, 'a', { a: 'x' }],
  ['{"a":"x\\', 'a', { a: 'x' }],
  ['{"a":{"b":1},"c', undefined, { a: { b: 1 } }],
])('%s, with %s kept, is cut', (text, kept, value) => {
  const { status, found } = readJsonObject(text, 0, kept);
  expect({ status, value: found?.value, repairs: found?.repairs }).toEqual({
    status: 'cut',
    value,
    repairs: ['cut-off'],
  });
});

it.each<[text: string, isBegun: boolean]>([
  ['{"a" 1}', true],
  ['{"a":1 b:2}', true],
  ['{"a":[1 2]}', true],
  ['{"a":01}', true],
  ['{"a":1.}', true],
  ['{"a":.5}', true],
  ['{"a":yes}', true],
  ['{"a":}', true],
  ['{"a":"x" "y"}', true],
  ['{"a":"x" + "y"}', true],
  ['{"a":"he says "b}', true],
  ['{"a":"""x"""}', true],
  [String.raw`{"a":"\q"}`, true],
  [String.raw`{"a":"\u00g0"}`, true],
  ['{"a\nb":1}', true],
  ['{"a"b":1}', true],
  ['{"a":["x" y"]}', true],
  ['{"kind":"x" y"}', true],
  ['{a: [', false],
  ['{a b}', false],
  ['{, "a":1}', false],
  ['{1:2}', false],
])('%s is refused', (text, isBegun) => {
  const reading = readJsonObject(text, 0);
  if (text === '{a: [') expect(reading).toMatchObject({ status: 'cut', isBegun });
  else expect(reading).toMatchObject({ status: 'failed', found: undefined, isBegun });
});

describe('a string', () => {
  it.each<[text: string, role: 'key' | 'words' | 'value', status: string]>([
    ['"a":', 'key', 'complete'],
    ['"a" :', 'key', 'complete'],
    ['"a"', 'key', 'complete'],
    ['"a",', 'key', 'failed'],
    ['"a b.c-d_1', 'key', 'cut'],
    ['"a, b', 'key', 'failed'],
    ['"a"', 'value', 'complete'],
    ['"a"}', 'value', 'complete'],
    ['"a"]', 'value', 'complete'],
    ['"a", "b"', 'value', 'complete'],
    ['"a", b: 1', 'value', 'complete'],
    ['"a", -1', 'value', 'complete'],
    ['"a", true', 'value', 'complete'],
    ['"a", truely', 'value', 'failed'],
    ['"a" // why', 'value', 'complete'],
    ['"a"\n "b"', 'value', 'complete'],
    ['"a" "b"', 'value', 'failed'],
    ['"a, and', 'value', 'cut'],
    ['"a}', 'value', 'failed'],
    ['"a\nb', 'words', 'failed'],
    ['"say "a" b', 'words', 'failed'],
    ["'it's ok'", 'words', 'complete'],
    ["'it's ok'", 'value', 'failed'],
    ["'a 'b c'", 'words', 'failed'],
    ['"6" by 4""', 'words', 'complete'],
    [String.raw`"a \"b" c"`, 'words', 'complete'],
  ])('%s as %s is %s', (text, role, status) => {
    expect(readString(text, 0, role).status).toBe(status);
  });
});
