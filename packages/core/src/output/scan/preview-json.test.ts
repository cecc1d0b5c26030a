import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasDangerousKey } from '../../json/bounded-json.ts';
import { isBareObject, previewJson } from './preview-json.ts';

it('returns the value of a whole text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // The parser refuses keys that reach a prototype.
      fc.pre(!hasDangerousKey(value));
      const text = JSON.stringify({ output: value });
      expect(previewJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

it('returns a value or nothing for each start of a text, and never throws', () => {
  const text = String.raw`{"a":[12,{"b":"x\"é"}],"c":null,"d":-1.5}`;
  const seen = Array.from(text, (_, end) => JSON.stringify(previewJson(text.slice(0, end))));
  expect([...new Set(seen)]).toEqual([
    undefined,
    '{}',
    '{"a":[]}',
    '{"a":[12]}',
    '{"a":[12,{}]}',
    '{"a":[12,{"b":""}]}',
    '{"a":[12,{"b":"x"}]}',
    String.raw`{"a":[12,{"b":"x\""}]}`,
    String.raw`{"a":[12,{"b":"x\"é"}]}`,
    String.raw`{"a":[12,{"b":"x\"é"}],"c":null}`,
  ]);
});

it('an object without keys is bare, and nothing else is', () => {
  expect([{}, { a: 1 }, [], null, '', undefined].map(isBareObject)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
