import fc from 'fast-check';
import { expect, it } from 'vitest';
import { screenJson } from './screen-json.ts';

it.each([
  ['{"a":1,"a":2}', [['a']]],
  [String.raw`{"a":1,"\u0061":2}`, [['a']]],
  ['[{"b":[0,{"c":1,"c":1}]},{"b":1}]', [[0, 'b', 1, 'c']]],
  ['{"a":{"a":1},"b":{"a":1}}', []],
  [
    '[[1],{"x":1,"x":2,"x":3}]',
    [
      [1, 'x'],
      [1, 'x'],
    ],
  ],
])('finds repeated keys: %s', (text, paths) => {
  expect(screenJson(text).map(({ path }) => path)).toEqual(paths);
});

it('finds nothing in serialized values', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(screenJson(JSON.stringify(value))).toEqual([]);
    }),
  );
});

it('finds a repeated key at any place', () => {
  const places = fc.array(fc.oneof(fc.nat({ max: 3 }), fc.constantFrom('a', 'b', 'key')), { maxLength: 6 });
  fc.assert(
    fc.property(places, (path) => {
      const text = path.reduceRight<string>(
        (inner, key) =>
          typeof key === 'number' ? `[${'0,'.repeat(key)}${inner}]` : `{"z":[1],"${key}":${inner}}`,
        '{"twice":1,"twice":{}}',
      );
      expect(screenJson(text)).toEqual([{ kind: 'doubled-key', path: [...path, 'twice'] }]);
    }),
  );
});

it('finds numbers that parsing changes, and integers hide no other fault', () => {
  const wide = '9007199254740993';
  expect(screenJson(`{"a":[1e400,${wide},9007199254740992,1e21,-1e-400]}`)).toEqual([
    { kind: 'out-of-range', path: ['a', 0], message: expect.stringContaining('1e400') },
    { kind: 'integer', path: ['a', 1], message: expect.stringContaining('write it as a string') },
  ]);
  const faults = screenJson(`{"a":[${Array.from({ length: 50 }, () => wide).join()}],"b":1,"b":2}`);
  expect(faults).toHaveLength(21);
  expect(faults.at(-1)).toEqual({ kind: 'doubled-key', path: ['b'] });
});
