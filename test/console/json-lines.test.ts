/** Tests of a value's lines as JSON: together they are its JSON text, in the order of its schema. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExactNumber, parseExact } from '../../packages/core/src/json/exact-value.ts';
import { jsonLines } from '../../web/src/json/json-lines.ts';
import { valueRows } from '../../web/src/value/value-rows.ts';

interface Shown {
  readonly value: unknown;
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly folded?: readonly string[];
}

/** The lines in reading order. */
function textOf({ value, schema = {}, folded = [] }: Shown): string {
  const rows = valueRows({ schema, value, issues: [], isExact: true, folded: new Set(folded) });
  const indented = (depth: number, text: string): string => `${'  '.repeat(depth)}${text}`;
  return jsonLines(rows, value)
    .flatMap(({ depth, key, brackets, hasComma, before, after }, index) => {
      const row = rows[index];
      const leaf = row?.value instanceof ExactNumber ? row.value.digits : JSON.stringify(row?.value);
      const shown = brackets === undefined ? leaf : row?.kind === 'open' ? brackets[0] : brackets.join('…');
      const line = `${key === undefined ? '' : `${key}: `}${shown}${hasComma ? ',' : ''}`;
      const ends = after.map((bracket) => indented(bracket.depth, bracket.text));
      return [...(before === undefined ? [] : [before.text]), indented(depth, line), ...ends];
    })
    .join('\n');
}

it('writes any value as `JSON.stringify()` does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(textOf({ value })).toBe(JSON.stringify(value, undefined, 2));
    }),
  );
});

it('has members in the order of the schema, then the others, without those that are missing', () => {
  const place = {
    type: 'object',
    properties: { line: {}, file: {}, why: { type: 'object', properties: { a: {} } } },
  };
  const schema = { type: 'object', properties: { places: { type: 'array', items: place }, count: {} } };
  const value = { other: [], count: 1, places: [{ extra: true, file: 'a', line: 1 }, {}] };
  const sorted = { places: [{ line: 1, file: 'a', extra: true }, {}], count: 1, other: [] };
  expect(textOf({ value, schema })).toBe(JSON.stringify(sorted, undefined, 2));
});

it('has a part in one line if it is folded, and keeps the digits of numbers', () => {
  const value = parseExact('{"a":[12345678901234567890,{"b":1}],"c":{"d":[1]}}');
  expect(textOf({ value, folded: ['/a/1', '/c'] })).toBe(
    '{\n  "a": [\n    12345678901234567890,\n    {…}\n  ],\n  "c": {…}\n}',
  );
});
