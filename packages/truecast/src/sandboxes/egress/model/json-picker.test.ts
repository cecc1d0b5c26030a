import { expect, it } from 'vitest';
import { createJsonPicker } from './json-picker.ts';

function pick(json: string, ...paths: readonly string[]): readonly (readonly [string, string])[] {
  const picked: (readonly [string, string])[] = [];
  createJsonPicker(new Set(paths), (path, value) => picked.push([path, value])).push(Buffer.from(json));
  return picked;
}

it('picks the values at its paths unchanged, of any type', () => {
  expect(pick('{"a": {"b" : [1, {"c":"}"}] , "x":0}, "d":"q\\"", "e":null}', 'a.b', 'd', 'e')).toEqual([
    ['a.b', '[1, {"c":"}"}] '],
    ['d', '"q\\""'],
    ['e', 'null'],
  ]);
});

it('picks in any place of an array, and nothing at other depths', () => {
  expect(pick('[{"a":1},{"b":{"a":2}},{"a":3}]', '*.a')).toEqual([
    ['*.a', '1'],
    ['*.a', '3'],
  ]);
});

it('drops a value that is larger than any it is meant for', () => {
  expect(pick(`{"a":"${'x'.repeat(8_190)}","b":1}`, 'a', 'b')).toHaveLength(2);
  expect(pick(`{"a":"${'x'.repeat(8_191)}","b":1}`, 'a', 'b')).toEqual([['b', '1']]);
});

it('does not mistake a text for a key', () => {
  expect(pick('{"x":"a","y":["a",5]}', 'a')).toEqual([]);
});
