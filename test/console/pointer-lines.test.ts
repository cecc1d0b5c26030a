/** Lines of the parts of a JSON text: every pointer of any value, in any layout. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineOf, pointerLines } from '../../web/src/schema/pointer-lines.ts';

it('finds every part of any value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const lines = pointerLines(JSON.stringify(value, undefined, indent));
      expect([...lines.keys()].sort()).toEqual(pointersOf(value, '').sort());
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

function pointersOf(value: unknown, pointer: string): string[] {
  if (typeof value !== 'object' || value === null) return [pointer];
  const parts = Object.entries(value).map(([key, part]: [string, unknown]) =>
    pointersOf(part, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return [pointer, ...parts.flat()];
}
