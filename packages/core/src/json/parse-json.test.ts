/** Messages of syntax errors: the same place in every engine, and as strict as `JSON.parse`. */
import { describe, expect, it } from 'vitest';
import { JsonBodyReader } from './scan/json-body-reader.ts';
import { describeJsonError, findJsonError, parseJson, parseJsonObject } from './parse-json.ts';
import { showPath, valueAt } from './show-path.ts';

it.each([
  ['', 'there is no value'],
  [' \n', 'there is no value'],
  ['{', 'the text ends too early at line 1, column 2 (offset 1), near "{"'],
  ['{"a":1,}', 'unexpected "}" at line 1, column 8 (offset 7), near "{\\"a\\":1,}"'],
  ['{"a":1} x', 'unexpected "x" after the value at line 1, column 9 (offset 8), near "{\\"a\\":1} x"'],
  ['1\n\n 2', 'unexpected "2" after the value at line 3, column 2 (offset 4), near "1\\n\\n 2"'],
  ['[1,\n 2,\n x]', 'unexpected "x" at line 3, column 2 (offset 9), near "[1,\\n 2,\\n x]"'],
  ['\nx', 'unexpected "x" at line 2, column 1 (offset 1), near "\\nx"'],
  ['[😀]', 'unexpected "😀" at line 1, column 2 (offset 1), near "[😀]"'],
  [
    `[${'1,'.repeat(20)}x${'y'.repeat(30)}`,
    `unexpected "x" at line 1, column 42 (offset 41), near "${'1,'.repeat(10)}x${'y'.repeat(19)}"`,
  ],
])('%j: %s', (text, said) => {
  expect(describeJsonError(text)).toBe(said);
  expect(parseJson(text)).toMatchObject({ success: false, code: 'syntax', reason: said });
});

it('returns the members of an object, and none of anything else', () => {
  expect(parseJsonObject('{"a":1}')).toEqual({ a: 1 });
  for (const text of ['[1]', '1', 'null', '{', '{"__proto__":1}']) expect(parseJsonObject(text)).toEqual({});
});

describe('the incremental parser accepts what `JSON.parse` does', () => {
  it.each([
    '0',
    '-0',
    '01',
    '1.',
    '.1',
    '1.5',
    '1.5.1',
    '1e',
    '1e5',
    '1E+5',
    '1e-5',
    '1e5.1',
    '-',
    '+1',
    '--1',
    '1-',
    '00',
    '0.0e0',
    '1e+',
    '-1e1',
    'true',
    'tru',
    'truE',
    'false',
    'null',
    'nul',
    'nulll',
    'xnull',
    '""',
    '"a',
    '"\\"',
    '"\\n"',
    '"\\x"',
    '"\\u0041"',
    '"\\u004"',
    '"\t"',
    '"\u007F"',
    '"\u2028"',
    '"a"b',
    '[]',
    '[1]',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[',
    ']',
    '[1',
    '[[]]',
    '[1]]',
    '[\r\n\t 1 ]',
    '[\u00A01]',
    '{}',
    '{"a":1}',
    '{"a":1,}',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{"a" 1}',
    '{a:1}',
    '{"a":1]',
    '[1}',
    '{"a":{"b":[]}}',
    '{"a":1 "b":2}',
    '{"a":1,"b":2}',
    "{'a':1}",
  ])('%j, whole and in pieces', (text) => {
    let isJson = true;
    try {
      JSON.parse(text);
    } catch {
      isJson = false;
    }
    for (let cut = 0; cut <= text.length; cut += 1) {
      const reader = new JsonBodyReader(undefined);
      const at = reader.read(text, 0, cut);
      const end = reader.isDead ? at : reader.read(text, at, text.length);
      expect([cut, !reader.isDead && reader.isWhole && end === text.length]).toEqual([cut, isJson]);
    }
  });
});

it.each([
  [[], '(root)'],
  [['a'], 'a'],
  [['a', 'b-c', '$d'], 'a.b-c.$d'],
  [['a', 0, 'b'], 'a[0].b'],
  [[0], '[0]'],
  [['a b', ''], '["a b"][""]'],
] as const)('the path %j is shown as %s', (path, shown) => {
  expect(showPath(path)).toBe(shown);
});

it('returns the part at a path, of own members only', () => {
  const value = { a: [{ b: 1 }], text: 'x' };
  expect(valueAt(value, [])).toBe(value);
  expect(valueAt(value, ['a', 0, 'b'])).toBe(1);
  for (const path of [['b'], ['a', 1], ['a', 0, 'b', 'c'], ['toString'], ['text', 'length']]) {
    expect(valueAt(value, path)).toBeUndefined();
  }
  expect(valueAt(null, ['a'])).toBeUndefined();
});

it.each([
  ['\n {"a": x}', 8],
  [' {"a": 1', 8],
  ['{"a": 1}\n,', 9],
  ['\u00A0{}', 0],
  ['', 0],
])('finds the first error of %j at the offset %i', (text, offset) => {
  expect(findJsonError(text).offset).toBe(offset);
});

it.each(['{"a": |}', '{"a": -1.5e3, "b" |{}}', '{"a": [true, nul|x]}', '{"a": "x"} |{', '{"a": [1, 2|'])(
  'finds the error of %s at the mark, where `JSON.parse` has it',
  (marked) => {
    const text = marked.replace('|', '');
    expect(findJsonError(text).offset).toBe(marked.indexOf('|'));
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  },
);
