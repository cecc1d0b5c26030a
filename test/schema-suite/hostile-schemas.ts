/** Hostile schemas and values for tests and the bench, with the allowed outcomes of each. */
import type { SchemaErrorCode } from '../../packages/core/src/errors/schema-error.ts';

/** Allowed outcome of a schema and a value. */
export type Verdict = 'valid' | 'invalid' | SchemaErrorCode;

/** A schema and a value that are costly or malicious. */
export interface HostileCase {
  readonly name: string;
  readonly verdicts: readonly Verdict[];
  /** Created on demand: some are megabytes. */
  readonly make: () => { readonly schema: unknown; readonly value: unknown };
}

/** Wraps a value repeatedly. */
export function nest(depth: number, wrap: (inner: unknown) => unknown, core: unknown): unknown {
  let nested = core;
  for (let level = 0; level < depth; level += 1) nested = wrap(nested);
  return nested;
}

function doublingReferences(keyword: string): Record<string, unknown> {
  const steps = Array.from({ length: 40 }, (_, index) => {
    const next = { $ref: `#/$defs/step${index + 1}` };
    return [`step${index}`, { [keyword]: [next, next] }];
  });
  return { $ref: '#/$defs/step0', $defs: { ...Object.fromEntries(steps), step40: { type: 'string' } } };
}

const keyed = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
const shared: unknown = nest(40, (inner) => ({ allOf: [inner, inner] }), {});
const cycle: Record<string, unknown> = {};
cycle['not'] = cycle;

function record(
  count: number,
  entry: (index: number) => readonly [string, unknown],
): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => entry(index)));
}

/** All hostile cases. */
export const HOSTILE: readonly HostileCase[] = [
  {
    name: '2^40 applications in allOf',
    verdicts: ['too-much-work'],
    make: () => ({ schema: doublingReferences('allOf'), value: 'a' }),
  },
  {
    name: '2^40 applications in anyOf',
    verdicts: ['too-much-work'],
    make: () => ({ schema: doublingReferences('anyOf'), value: 5 }),
  },
  {
    name: '2^40 applications in oneOf',
    verdicts: ['too-much-work'],
    make: () => ({ schema: doublingReferences('oneOf'), value: 'a' }),
  },
  {
    name: 'objects shared 2^40 times',
    verdicts: ['too-many-nodes', 'too-large'],
    make: () => ({ schema: shared, value: 1 }),
  },
  { name: 'a schema that holds itself', verdicts: ['too-deep'], make: () => ({ schema: cycle, value: 1 }) },
  {
    name: '4,000 keys and 60 patterns',
    verdicts: ['invalid', 'too-much-work'],
    make: () => ({
      schema: {
        patternProperties: Object.fromEntries(
          Array.from({ length: 60 }, (_, index) => [`^(k|e|y)+(\\d|${index})*$`, { type: 'string' }]),
        ),
      },
      value: keyed(4000),
    }),
  },
  {
    name: '100,000 objects that must differ',
    verdicts: ['too-much-work'],
    make: () => ({
      schema: { uniqueItems: true },
      value: Array.from({ length: 100_000 }, (_, id) => ({ id, title: `t${id}` })),
    }),
  },
  {
    name: '100,000 numbers that must differ',
    verdicts: ['valid'],
    make: () => ({ schema: { uniqueItems: true }, value: Array.from({ length: 100_000 }, (_, id) => id) }),
  },
  {
    name: 'a schema 20,000 deep',
    verdicts: ['too-deep'],
    make: () => ({ schema: nest(20_000, (inner) => ({ allOf: [inner] }), {}), value: 1 }),
  },
  {
    name: 'a schema 200,000 deep',
    verdicts: ['too-deep'],
    make: () => ({ schema: nest(200_000, (inner) => ({ not: inner }), {}), value: 1 }),
  },
  {
    name: 'a value 200,000 deep',
    verdicts: ['too-deep'],
    make: () => ({ schema: { items: { $ref: '#' } }, value: nest(200_000, (inner) => [inner], []) }),
  },
  {
    name: 'a value 200,000 deep that must differ',
    verdicts: ['too-deep'],
    make: () => ({ schema: { uniqueItems: true }, value: nest(200_000, (inner) => [inner], []) }),
  },
  {
    name: 'a value 200,000 deep against a constant',
    verdicts: ['invalid'],
    make: () => ({ schema: { const: [[[]]] }, value: nest(200_000, (inner) => [inner], []) }),
  },
  {
    name: 'a value 200,000 deep that is not looked at',
    verdicts: ['valid'],
    make: () => ({ schema: { type: 'array' }, value: nest(200_000, (inner) => [inner], []) }),
  },
  {
    name: 'nested quantifiers',
    verdicts: ['invalid'],
    make: () => ({ schema: { pattern: '^(a+)+$' }, value: `${'a'.repeat(40)}!` }),
  },
  {
    name: 'nested quantifiers on a long text',
    verdicts: ['invalid'],
    make: () => ({ schema: { pattern: '^(a+)+$' }, value: `${'a'.repeat(10_000)}!` }),
  },
  {
    name: 'nested quantifiers on a text of a million',
    verdicts: ['too-much-work'],
    make: () => ({ schema: { pattern: '^(a+)+$' }, value: `${'a'.repeat(1_000_000)}!` }),
  },
  {
    name: 'overlapping alternatives',
    verdicts: ['invalid'],
    make: () => ({ schema: { pattern: '^(a|a|aa)*$' }, value: `${'a'.repeat(2000)}!` }),
  },
  {
    name: 'a search that begins again and again',
    verdicts: ['invalid'],
    make: () => ({ schema: { pattern: 'a*b' }, value: 'a'.repeat(50_000) }),
  },
  {
    name: 'look-aheads in a loop',
    verdicts: ['valid', 'too-much-work'],
    make: () => ({ schema: { pattern: '^(?:(?=a*)a)*$' }, value: 'a'.repeat(20_000) }),
  },
  {
    name: 'back-references',
    verdicts: ['too-much-work'],
    make: () => ({ schema: { pattern: '^(a+)\\1*(a+)\\2*(a+)\\3*b$' }, value: 'a'.repeat(2000) }),
  },
  {
    name: 'a repeat of a thousand million',
    verdicts: ['pattern'],
    make: () => ({ schema: { pattern: '^(?:a{1000}){1000}{0}$|(?:(?:a{1000}){1000}){1000}' }, value: 'a' }),
  },
  {
    name: 'an empty group repeated',
    verdicts: ['valid'],
    make: () => ({ schema: { pattern: '(?:){1000000000}' }, value: 'a' }),
  },
  {
    name: 'deep groups',
    verdicts: ['pattern'],
    make: () => ({ schema: { pattern: `${'('.repeat(5000)}${')'.repeat(5000)}` }, value: 'a' }),
  },
  {
    name: 'many large patterns',
    verdicts: ['invalid', 'pattern'],
    make: () => ({
      schema: { allOf: Array.from({ length: 900 }, (_, index) => ({ pattern: `(ab){${index + 2000}}` })) },
      value: 'a',
    }),
  },
  {
    name: 'thousands of patterns',
    verdicts: ['too-many-nodes'],
    make: () => ({
      schema: { allOf: Array.from({ length: 2500 }, (_, index) => ({ pattern: `^${index}$` })) },
      value: 'a',
    }),
  },
  { name: 'a boolean schema', verdicts: ['invalid'], make: () => ({ schema: false, value: {} }) },
  {
    name: 'a schema of a megabyte',
    verdicts: ['too-large'],
    make: () => ({
      schema: { enum: Array.from({ length: 100_000 }, (_, index) => `value${index}`) },
      value: 'a',
    }),
  },
  {
    name: 'a schema of a megabyte in one string',
    verdicts: ['too-large'],
    make: () => ({ schema: { title: 'x'.repeat(1_000_000) }, value: 'a' }),
  },
  {
    name: 'a schema of 60,000 values',
    verdicts: ['too-many-nodes'],
    make: () => ({ schema: { anyOf: Array.from({ length: 20_000 }, () => true) }, value: 'a' }),
  },
  {
    name: 'enums of objects on long arrays',
    verdicts: ['invalid'],
    make: () => ({
      schema: { items: { enum: Array.from({ length: 1000 }, (_, c) => ({ a: 1, b: 2, c })) } },
      value: Array.from({ length: 10_000 }, () => ({ a: 1, b: 2, c: -1 })),
    }),
  },
  {
    name: 'unevaluated properties through many alternatives',
    verdicts: ['invalid', 'too-much-work'],
    make: () => ({
      schema: {
        allOf: Array.from({ length: 300 }, (_, index) => ({
          anyOf: [{ properties: { [`key${index}`]: true } }],
        })),
        unevaluatedProperties: false,
      },
      value: keyed(3000),
    }),
  },
  {
    name: 'a dynamic reference to itself',
    verdicts: ['too-deep'],
    make: () => ({ schema: { $dynamicAnchor: 'self', $dynamicRef: '#self' }, value: 1 }),
  },
  {
    name: 'numbers with 600 digits',
    verdicts: ['too-much-work'],
    make: () => ({
      schema: { items: { multipleOf: 1e-300 } },
      value: Array.from({ length: 20_000 }, (_, index) => 1e300 + index * 1e290),
    }),
  },
  {
    name: 'a long email address',
    verdicts: ['invalid'],
    make: () => ({ schema: { format: 'email' }, value: `${'a.'.repeat(500_000)}@` }),
  },
  {
    name: 'a long URI',
    verdicts: ['invalid'],
    make: () => ({ schema: { format: 'uri' }, value: `http://${'a'.repeat(1_000_000)} ` }),
  },
  {
    name: 'long strings counted in code points',
    verdicts: ['too-much-work'],
    make: () => ({
      schema: { items: { maxLength: 60_000 } },
      value: Array.from({ length: 100 }, () => '😀'.repeat(50_000)),
    }),
  },
  {
    name: 'a reference to another document',
    verdicts: ['remote-reference'],
    make: () => ({ schema: { items: { $ref: 'http://127.0.0.1:9/schema.json' } }, value: [1] }),
  },
  {
    name: 'a reference to a file',
    verdicts: ['remote-reference'],
    make: () => ({ schema: { $ref: 'file:///etc/passwd' }, value: 1 }),
  },
  {
    name: '1,400 identifiers and references to them',
    verdicts: ['valid'],
    make: () => ({
      schema: {
        $defs: record(700, (index) => [`d${index}`, { $id: `https://a.test/${index}` }]),
        allOf: Array.from({ length: 700 }, (_, index) => ({ $ref: `https://a.test/${index}` })),
      },
      value: 1,
    }),
  },
  {
    name: 'long pointers, again and again',
    verdicts: ['valid'],
    make: () => ({
      schema: {
        $defs: { a: nest(120, (inner) => ({ a: inner }), {}) },
        allOf: Array.from({ length: 200 }, () => ({ $ref: `#/$defs${'/a'.repeat(120)}` })),
      },
      value: 1,
    }),
  },
  {
    name: '4,000 keys and 60 patterns of one pass',
    verdicts: ['invalid', 'too-much-work'],
    make: () => ({
      schema: { patternProperties: record(60, (index) => [`^key[0-9]*${index}$`, { type: 'string' }]) },
      value: keyed(4000),
    }),
  },
  {
    name: '100,000 keys, none of them allowed',
    verdicts: ['invalid', 'too-much-work'],
    make: () => ({ schema: { additionalProperties: false }, value: keyed(100_000) }),
  },
  {
    name: 'many names required of many objects',
    verdicts: ['invalid', 'too-much-work'],
    make: () => {
      const part = keyed(100);
      return {
        schema: { items: { required: Object.keys(keyed(5000)) } },
        value: Array.from({ length: 5000 }, () => part),
      };
    },
  },
  {
    name: 'thousands of alternatives, each nearly right',
    verdicts: ['invalid', 'too-much-work'],
    make: () => ({
      schema: {
        anyOf: Array.from({ length: 1000 }, (_, index) => ({
          properties: { kind: { const: index }, at: { minimum: index } },
        })),
      },
      value: { kind: -1, at: -1 },
    }),
  },
  {
    name: 'alternatives inside alternatives',
    verdicts: ['invalid', 'too-much-work'],
    make: () => ({
      schema: nest(5, (inner) => ({ anyOf: [inner, inner, inner, inner] }), { type: 'string' }),
      value: 1,
    }),
  },
  {
    name: 'hundreds of Unicode classes',
    verdicts: ['pattern'],
    make: () => ({
      schema: {
        allOf: Array.from({ length: 900 }, (_, index) => ({ pattern: `^[\\p{L}\\p{N}]{${index}}` })),
      },
      value: 'é'.repeat(1000),
    }),
  },
  {
    name: 'a long pattern as a value',
    verdicts: ['valid', 'invalid', 'too-much-work'],
    make: () => ({ schema: { format: 'regex' }, value: '(?:a{1000}){1000}'.repeat(20_000) }),
  },
  {
    name: 'one constant of thousands of values',
    verdicts: ['invalid', 'too-much-work'],
    make: () => {
      const other = [...Array.from({ length: 7999 }, () => 0), 1];
      return {
        schema: { items: { const: Array.from({ length: 8000 }, () => 0) } },
        value: Array.from({ length: 500 }, () => other),
      };
    },
  },
  {
    name: 'unevaluated items through many alternatives',
    verdicts: ['valid', 'invalid', 'too-much-work'],
    make: () => ({
      schema: {
        allOf: Array.from({ length: 300 }, (_, index) => ({ anyOf: [{ contains: { const: index } }] })),
        unevaluatedItems: false,
      },
      value: Array.from({ length: 3000 }, (_, index) => index),
    }),
  },
  {
    name: 'a text of ten million characters',
    verdicts: ['too-much-work'],
    make: () => ({ schema: { pattern: '^[a-z]*$', minLength: 1 }, value: 'a'.repeat(10_000_000) }),
  },
  {
    name: 'dynamic references through many resources',
    verdicts: ['valid', 'invalid', 'too-deep', 'too-much-work'],
    make: () => ({
      schema: {
        $id: 'https://a.test/root',
        $dynamicAnchor: 'node',
        items: nest(
          100,
          (inner) => ({ $id: `https://a.test/${JSON.stringify(inner).length}`, allOf: [inner] }),
          { $dynamicRef: '#node', $defs: { node: { $dynamicAnchor: 'node' } } },
        ),
      },
      value: nest(20, (inner) => [inner, inner], []),
    }),
  },
  {
    name: 'hundreds of properties of characters',
    verdicts: ['valid', 'too-much-work'],
    make: () => ({
      schema: {
        allOf: Array.from({ length: 140 }, (_, index) => ({ pattern: `^[\\p{L}\\p{N}]{${index}}` })),
      },
      value: 'é'.repeat(1000),
    }),
  },
  {
    name: 'a class of hundreds of properties on a long text',
    verdicts: ['too-much-work'],
    make: () => ({
      schema: { pattern: `^[^${'\\p{Nd}'.repeat(290)}]*$` },
      value: 'é'.repeat(100_000),
    }),
  },
  {
    name: 'a class of hundreds of properties, searched for',
    verdicts: ['too-much-work'],
    make: () => ({
      schema: { pattern: `(?:a|[${'\\p{Nd}'.repeat(290)}])b` },
      value: 'é'.repeat(100_000),
    }),
  },
  {
    name: 'a pattern of properties as a value',
    verdicts: ['too-much-work'],
    make: () => ({ schema: { format: 'regex' }, value: '\\p{L}'.repeat(8000) }),
  },
];
