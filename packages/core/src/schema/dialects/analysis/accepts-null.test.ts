import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../../engine/compile-json-schema.ts';
import type { JsonSchema } from '../../engine/read-schema.ts';
import { lowerJsonSchema } from '../lower-json-schema.ts';
import { WorkBudget } from '../../work/work-budget.ts';
import { NullAcceptance } from './accepts-null.ts';
import { ReferenceIndex } from './reference-index.ts';

const TEXT = { type: 'string' } as const;
const NULL = { type: 'null' } as const;

/** Each keyword that decides on `null`, in forms that accept it and forms that do not. */
const SCHEMAS: readonly JsonSchema[] = [
  true,
  false,
  {},
  TEXT,
  NULL,
  { type: ['string', 'null'] },
  { type: ['string', 'boolean'] },
  { const: null },
  { const: 'x' },
  { enum: [null, 'x'] },
  { enum: ['x'] },
  { allOf: [NULL, {}] },
  { allOf: [{}, TEXT] },
  { anyOf: [TEXT, NULL] },
  { anyOf: [TEXT, { type: 'number' }] },
  { oneOf: [TEXT, NULL] },
  { oneOf: [TEXT] },
  { oneOf: [NULL, {}] },
  { not: TEXT },
  { not: NULL },
  { if: NULL, else: TEXT },
  { if: TEXT, else: TEXT },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  ...[NULL, TEXT].map((part) => ({ if: part, then: TEXT })),
  { minLength: 2, minimum: 3, properties: { a: TEXT }, required: ['a'] },
  { $ref: '#/$defs/text', $defs: { text: TEXT } },
  { $ref: '#/$defs/none', $defs: { none: NULL } },
];

describe.each(SCHEMAS.map((schema) => [JSON.stringify(schema), schema] as const))('%s', (_text, schema) => {
  const accepts = compileJsonSchema(schema).validate(null).valid;

  it(`is known ${accepts ? 'to accept' : 'not to accept'} null, as the validator says, at each question`, () => {
    const work = new WorkBudget({ maxWork: 1_000, work: 'Analysis', advice: '' });
    const nulls = new NullAcceptance(new ReferenceIndex(schema), work);
    expect([nulls.accepts(schema), nulls.accepts(schema)]).toEqual([accepts, accepts]);
  });
});

it('a schema that applies itself to the same value accepts nothing', () => {
  const work = new WorkBudget({ maxWork: 1_000, work: 'Analysis', advice: '' });
  const schema = { allOf: [{ $ref: '#' }] };
  expect(new NullAcceptance(new ReferenceIndex(schema), work).accepts(schema)).toBe(false);
});

describe('an optional property behind a reference', () => {
  const lower = (part: JsonSchema): ReturnType<typeof lowerJsonSchema> =>
    lowerJsonSchema(
      { type: 'object', properties: { a: { $ref: '#/$defs/part' } }, $defs: { part } },
      'openai',
    );

  it.each<[string, JsonSchema]>([
    ['a constant', { const: 'x' }],
    ['an enumeration', { enum: ['x', 'y'] }],
    ['a type', TEXT],
  ])('is absent where openai answers null and %s does not accept it', (_name, part) => {
    const { inverse, losses } = lower(part);
    expect(inverse({ a: null })).toEqual({});
    expect(losses).toEqual([]);
  });

  it.each<[string, JsonSchema]>([
    ['a constant', { const: null }],
    ['an enumeration', { enum: ['x', null] }],
    ['a type', { type: ['string', 'null'] }],
  ])('keeps the null of openai where %s accepts it, and says what is lost', (_name, part) => {
    const { inverse, losses } = lower(part);
    expect(inverse({ a: null })).toEqual({ a: null });
    expect(losses).toMatchObject([{ path: ['properties', 'a'], keyword: 'required' }]);
  });
});
