/** The work of a judgement is counted. A schema that costs too much is never called impossible. */
import { expect, it } from 'vitest';
import { ImpossibleParts } from './impossible-parts.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function named(count: number, prefix: string, part: (index: number) => unknown): Record<string, unknown> {
  return Object.fromEntries(numbers(count).map((index) => [`${prefix}${index}`, part(index)]));
}

/** One part that nothing fits, below `count` references. Each further definition needs one more round. */
function repeated(part: object, count: number): object {
  const rounds = named(count, 'd', (index) =>
    index === 0
      ? { type: 'string' }
      : { type: 'object', required: ['n'], properties: { n: { $ref: `#/$defs/d${index - 1}` } } },
  );
  return {
    type: 'object',
    required: ['p0'],
    properties: named(3 * count, 'p', () => ({ $ref: '#/$defs/never' })),
    $defs: { ...rounds, never: part },
  };
}

it.each([
  ['numbers', { enum: numbers(1_100), minimum: 1e9 }],
  ['long texts', { enum: ['x'.repeat(6_000)], minLength: 10_000 }],
  ['parts', { type: [], allOf: numbers(1_000).map(() => ({})) }],
])('counts the work of listed %s', (_, part) => {
  const judge = (schema: object): unknown => new ImpossibleParts(schema).explain(schema);
  expect(judge(repeated(part, 2))).toBeDefined();
  expect(judge(repeated(part, 50))).toBeUndefined();
});
