import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../schema/canonical-json.ts';
import { exactJson } from './exact-json.ts';

it.each([
  ['9007199254740993', '9007199254740993'],
  ['[1.0, 1e2, 0.10, -0, 0e5, 1E-7]', '[1,100,0.1,0,0,1e-7]'],
  ['0.1000000000000000055', '0.1000000000000000055'],
  ['{ "b" : 1, "a" : [ true , null ] }', '{"a":[true,null],"b":1}'],
  [String.raw`"\u00e9\u000a\/"`, String.raw`"é\n/"`],
  ['1'.repeat(200), '1'.repeat(200)],
  ['1e-400', '1e-400'],
])('writes canonical JSON that keeps every digit: %s', (text, exact) => {
  expect(exactJson(text)).toBe(exact);
});

it('is canonical JSON for every value that a double represents', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: true }), fc.constantFrom(0, 2), (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      expect(exactJson(text)).toBe(canonicalJson(JSON.parse(text)));
    }),
  );
});

it('keeps every integer below 10^21, whether a double holds it or not', () => {
  const most = 10n ** 21n - 1n;
  fc.assert(
    fc.property(fc.bigInt({ min: -most, max: most }), (integer) => {
      expect(exactJson(`{"n": ${integer}}`)).toBe(`{"n":${integer}}`);
    }),
  );
});
