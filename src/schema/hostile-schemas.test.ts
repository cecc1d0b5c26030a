import { describe, expect, it } from 'vitest';
import { SchemaError, type SchemaErrorCode } from '../errors/schema-error.ts';
import { compileJsonSchema } from './compile-json-schema.ts';
import type { SchemaLimits } from './engine/schema-limits.ts';
import type { JsonSchema } from './json-schema-types.ts';

type Verdict = 'valid' | 'invalid' | SchemaErrorCode;

/** Anything but an answer or a named limit fails the test. */
function verdictOf(schema: unknown, value: unknown, limits?: SchemaLimits): Verdict {
  try {
    return compileJsonSchema(schema as JsonSchema, limits).validate(value).valid ? 'valid' : 'invalid';
  } catch (error) {
    if (SchemaError.isInstance(error)) return error.code;
    throw error;
  }
}

function nest(depth: number, wrap: (inner: unknown) => unknown, core: unknown): unknown {
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

const HOSTILE: readonly [name: string, schema: unknown, value: unknown, verdicts: readonly Verdict[]][] = [
  ['2^40 applications in allOf', doublingReferences('allOf'), 'a', ['too-much-work']],
  ['2^40 applications in anyOf', doublingReferences('anyOf'), 5, ['too-much-work']],
  ['2^40 applications in oneOf', doublingReferences('oneOf'), 'a', ['too-much-work']],
  ['objects shared 2^40 times', shared, 1, ['too-many-nodes', 'too-large']],
  ['a schema that holds itself', cycle, 1, ['too-deep']],
  [
    '4,000 keys and 60 patterns',
    {
      patternProperties: Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`^(k|e|y)+(\\d|${index})*$`, { type: 'string' }]),
      ),
    },
    keyed(4000),
    ['invalid', 'too-much-work'],
  ],
  [
    '100,000 objects that must differ',
    { uniqueItems: true },
    Array.from({ length: 100_000 }, (_, id) => ({ id, title: `t${id}` })),
    ['too-much-work'],
  ],
  [
    '100,000 numbers that must differ',
    { uniqueItems: true },
    Array.from({ length: 100_000 }, (_, id) => id),
    ['valid'],
  ],
  ['a schema 20,000 deep', nest(20_000, (inner) => ({ allOf: [inner] }), {}), 1, ['too-deep']],
  ['a schema 200,000 deep', nest(200_000, (inner) => ({ not: inner }), {}), 1, ['too-deep']],
  ['a value 200,000 deep', { items: { $ref: '#' } }, nest(200_000, (inner) => [inner], []), ['too-deep']],
  [
    'a value 200,000 deep that must differ',
    { uniqueItems: true },
    nest(200_000, (inner) => [inner], []),
    ['too-deep'],
  ],
  [
    'a value 200,000 deep against a constant',
    { const: [[[]]] },
    nest(200_000, (inner) => [inner], []),
    ['invalid'],
  ],
  [
    'a value 200,000 deep that is not looked at',
    { type: 'array' },
    nest(200_000, (inner) => [inner], []),
    ['valid'],
  ],
  ['nested quantifiers', { pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`, ['invalid']],
  ['nested quantifiers on a long text', { pattern: '^(a+)+$' }, `${'a'.repeat(10_000)}!`, ['invalid']],
  [
    'nested quantifiers on a text of a million',
    { pattern: '^(a+)+$' },
    `${'a'.repeat(1_000_000)}!`,
    ['too-much-work'],
  ],
  ['overlapping alternatives', { pattern: '^(a|a|aa)*$' }, `${'a'.repeat(2000)}!`, ['invalid']],
  ['a search that begins again and again', { pattern: 'a*b' }, 'a'.repeat(50_000), ['invalid']],
  ['look-aheads in a loop', { pattern: '^(?:(?=a*)a)*$' }, 'a'.repeat(20_000), ['valid', 'too-much-work']],
  ['back-references', { pattern: '^(a+)\\1*(a+)\\2*(a+)\\3*b$' }, 'a'.repeat(2000), ['too-much-work']],
  [
    'a repeat of a thousand million',
    { pattern: '^(?:a{1000}){1000}{0}$|(?:(?:a{1000}){1000}){1000}' },
    'a',
    ['pattern'],
  ],
  ['an empty group repeated', { pattern: '(?:){1000000000}' }, 'a', ['valid']],
  ['deep groups', { pattern: `${'('.repeat(5000)}${')'.repeat(5000)}` }, 'a', ['pattern']],
  [
    'many large patterns',
    { allOf: Array.from({ length: 900 }, (_, index) => ({ pattern: `(ab){${index + 2000}}` })) },
    'a',
    ['invalid', 'pattern'],
  ],
  [
    'thousands of patterns',
    { allOf: Array.from({ length: 2500 }, (_, index) => ({ pattern: `^${index}$` })) },
    'a',
    ['too-many-nodes'],
  ],
  ['a boolean schema', false, {}, ['invalid']],
  [
    'a schema of a megabyte',
    { enum: Array.from({ length: 100_000 }, (_, index) => `value${index}`) },
    'a',
    ['too-large'],
  ],
  ['a schema of a megabyte in one string', { title: 'x'.repeat(1_000_000) }, 'a', ['too-large']],
  [
    'a schema of 60,000 values',
    { anyOf: Array.from({ length: 20_000 }, () => true) },
    'a',
    ['too-many-nodes'],
  ],
  [
    'enums of objects on long arrays',
    { items: { enum: Array.from({ length: 1000 }, (_, c) => ({ a: 1, b: 2, c })) } },
    Array.from({ length: 10_000 }, () => ({ a: 1, b: 2, c: -1 })),
    ['invalid'],
  ],
  [
    'unevaluated properties through many alternatives',
    {
      allOf: Array.from({ length: 300 }, (_, index) => ({
        anyOf: [{ properties: { [`key${index}`]: true } }],
      })),
      unevaluatedProperties: false,
    },
    keyed(3000),
    ['invalid', 'too-much-work'],
  ],
  ['a dynamic reference to itself', { $dynamicAnchor: 'self', $dynamicRef: '#self' }, 1, ['too-deep']],
  [
    'numbers with 600 digits',
    { items: { multipleOf: 1e-300 } },
    Array.from({ length: 20_000 }, (_, index) => 1e300 + index * 1e290),
    ['too-much-work'],
  ],
  ['a long email address', { format: 'email' }, `${'a.'.repeat(500_000)}@`, ['invalid']],
  ['a long URI', { format: 'uri' }, `http://${'a'.repeat(1_000_000)} `, ['invalid']],
  [
    'long strings counted in code points',
    { items: { maxLength: 60_000 } },
    Array.from({ length: 100 }, () => '😀'.repeat(50_000)),
    ['too-much-work'],
  ],
];

describe('a hostile schema or value', () => {
  it.each(HOSTILE)('gets an answer or a named limit: %s', (_, schema, value, verdicts) => {
    expect(verdicts).toContain(verdictOf(schema, value));
    expect(verdictOf({ type: 'string' }, 'still alive')).toBe('valid');
  });

  it('is refused where the stack is almost full, instead of ending the process', () => {
    const schema = nest(100, (inner) => ({ allOf: [inner] }), { type: 'string' });
    const seen = new Set<Verdict>();
    const descend = (): void => {
      try {
        descend();
      } finally {
        if (seen.size < 2) seen.add(verdictOf(schema, 'a'));
      }
    };
    expect(descend).toThrow();
    expect([...seen].every((verdict) => verdict === 'too-deep' || verdict === 'valid')).toBe(true);
  });
});
