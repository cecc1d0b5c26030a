/** Positions of the parts of a JSON text: every pointer of any value, in any layout. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonPositions, lineOf, pointerLines } from '../../web/src/json/json-positions.ts';
import { answerPositions } from '../../web/src/value/answer-positions.ts';

it('finds every part of any value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const positions = jsonPositions(text);
      expect([...positions.keys()].sort()).toEqual(pointersOf(value, '').sort());
      for (const [pointer, { start, end }] of positions) {
        expect(JSON.parse(text.slice(start, end))).toEqual(partOf(JSON.parse(text), pointer));
      }
    }),
  );
});

it('has the line of a key, an item, and the closest part above an absent one', () => {
  const lines = pointerLines('{\n  "a/b": [\n    1,\n    {"c": "x\\n:{"}\n  ],\n  "d": true\n}');
  expect(lineOf(lines, '/a~1b')).toBe(2);
  expect(lineOf(lines, '/a~1b/0')).toBe(3);
  expect(lineOf(lines, '/a~1b/1/c')).toBe(4);
  expect(lineOf(lines, '/d')).toBe(6);
  expect(lineOf(lines, '/d/e/f')).toBe(6);
  expect(lineOf(lines, '/none')).toBe(1);
});

it('finds the fields of an answer in a fence, and none in other text', () => {
  const text = 'I say <result>\n```json\n{"a": [1, true]}\n```\n</result>';
  const span = { start: text.indexOf('>') + 1, end: text.indexOf('</') };
  const positions = answerPositions(text, span);
  const marked = [...positions].map(([pointer, { start, end }]) => [pointer, text.slice(start, end)]);
  expect(marked).toEqual([
    ['', '{"a": [1, true]}'],
    ['/a', '[1, true]'],
    ['/a/0', '1'],
    ['/a/1', 'true'],
  ]);
  expect(answerPositions('no json', { start: 0, end: 7 }).size).toBe(0);
});

function partOf(value: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>((part, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    return Object.getOwnPropertyDescriptor(part, name)?.value as unknown;
  }, value);
}

function pointersOf(value: unknown, pointer: string): string[] {
  if (typeof value !== 'object' || value === null) return [pointer];
  const parts = Object.entries(value).map(([key, part]: [string, unknown]) =>
    pointersOf(part, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return [pointer, ...parts.flat()];
}
