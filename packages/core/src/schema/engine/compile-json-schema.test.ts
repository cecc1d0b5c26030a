import { readFileSync } from 'node:fs';
import {
  registerSchema,
  unregisterSchema,
  validate as validateByOracle,
} from '@hyperjump/json-schema/draft-2020-12';
import * as draft04 from '@hyperjump/json-schema/draft-04';
import * as draft07 from '@hyperjump/json-schema/draft-07';
import * as draft2019 from '@hyperjump/json-schema/draft-2019-09';
import { describe, expect, it } from 'vitest';
import { SchemaError } from '../../errors/schema-error.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { compileJsonSchema } from './compile-json-schema.ts';
import type { JsonSchema, SchemaLimits } from './read-schema.ts';
/** A schema with valid and invalid values. */
interface KeywordCase {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
  /** Why the reference implementation differs. Absent if it agrees. */
  readonly differs?: string;
}

// Parsed, not imported: an import would be a literal, whose `__proto__` sets the prototype.
const CASES = JSON.parse(
  readFileSync(new URL('keyword-cases.json', import.meta.url), 'utf8'),
) as KeywordCase[];
const NAMED = CASES.map((one): [string, KeywordCase] => [one.name, one]);

// Importing a draft registers it in the reference implementation, which has one global registry.
const KNOWN_DRAFTS = [draft04, draft07, draft2019];

function judge(schema: JsonSchema, value: unknown): boolean {
  return compileJsonSchema(schema).validate(value).valid;
}

/** Returns the error of compiling, or of validating with the schema. */
function refusalOf(schema: unknown, value?: unknown, limits?: SchemaLimits): SchemaError {
  try {
    // This test is about invalid schemas.
    compileJsonSchema(schema as JsonSchema, limits).validate(value);
  } catch (error) {
    if (SchemaError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

describe('the keywords', () => {
  it.each(NAMED)('%s: accepts valid values and rejects invalid ones', (_, { schema, valid, invalid }) => {
    expect(valid.filter((value) => !judge(schema, value))).toEqual([]);
    expect(invalid.filter((value) => judge(schema, value))).toEqual([]);
  });

  const comparable = NAMED.filter(
    ([, { differs, schema }]) =>
      differs === undefined && (typeof schema === 'boolean' || schema['format'] === undefined),
  );
  it('are compared in every draft', () => {
    expect(KNOWN_DRAFTS).toHaveLength(3);
  });

  it.each(comparable)('%s: the reference implementation agrees', async (name, { schema, valid, invalid }) => {
    const isNamed = typeof schema === 'object' && typeof schema['$id'] === 'string';
    const uri = isNamed ? String(schema['$id']) : `https://oracle.test/${encodeURIComponent(name)}`;
    // Its type supports the keywords of one draft only.
    registerSchema(
      schema as never,
      isNamed ? undefined : uri,
      'https://json-schema.org/draft/2020-12/schema',
    );
    const isValid = await validateByOracle(uri);
    unregisterSchema(uri);
    for (const value of valid) expect([value, isValid(value as never).valid]).toEqual([value, true]);
    for (const value of invalid) expect([value, isValid(value as never).valid]).toEqual([value, false]);
  });
});

describe('the dialect', () => {
  it.each([
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema' }, '2020-12'],
    [{ $schema: 'https://json-schema.org/draft/2019-09/schema' }, '2019-09'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, 'draft-07'],
    [{ $schema: 'http://json-schema.org/draft-04/schema' }, 'draft-07'],
    [{ definitions: {} }, 'draft-07'],
    [{ items: [{}] }, 'draft-07'],
    [{ $schema: 'https://example.test/own', type: 'string' }, '2020-12'],
    [true, '2020-12'],
  ])('is detected for %j: %s', (schema, dialect) => {
    expect(compileJsonSchema(schema).dialect).toBe(dialect);
  });

  it('reads the boolean bounds and the `id` of draft 04', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-04/schema#',
      properties: { a: { minimum: 1, exclusiveMinimum: true }, b: { $ref: 'https://example.test/b' } },
      definitions: { b: { id: 'https://example.test/b', type: 'string' } },
    };
    expect(judge(schema, { a: 1 })).toBe(false);
    expect(judge(schema, { a: 1.5, b: 'x' })).toBe(true);
    expect(judge(schema, { b: 1 })).toBe(false);
  });
});

describe('reasons to reject a schema', () => {
  it.each([
    ['a type that is none', { type: 5 }, ['type']],
    ['an unknown type', { properties: { a: { type: 'strnig' } } }, ['properties', 'a', 'type']],
    ['required that is no list', { required: 'a' }, ['required']],
    ['required with a number', { items: { required: [1] } }, ['items', 'required']],
    ['properties that are no object', { properties: [] }, ['properties']],
    ['a property that is no schema', { properties: { a: 5 } }, ['properties', 'a']],
    ['an empty allOf', { allOf: [] }, ['allOf']],
    ['an allOf with a string', { allOf: [{}, 'x'] }, ['allOf', 1]],
    ['a negative length', { minLength: -1 }, ['minLength']],
    ['a fraction of an item', { maxItems: 1.5 }, ['maxItems']],
    ['a multiple of 0', { multipleOf: 0 }, ['multipleOf']],
    ['a bound that is a string', { minimum: '1' }, ['minimum']],
    ['an enum that is no list', { enum: {} }, ['enum']],
    ['a pattern that is a number', { pattern: 1 }, ['pattern']],
    [
      'a list of items in 2020-12',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', items: [{}] },
      ['items'],
    ],
    ['a dependency that is no list', { dependentRequired: { a: 'b' } }, ['dependentRequired', 'a']],
    ['uniqueItems that is a number', { uniqueItems: 1 }, ['uniqueItems']],
    ['a reference that is a number', { $ref: 1 }, ['$ref']],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/none' } } }, ['properties', 'a', '$ref']],
    ['a reference to an unknown anchor', { $ref: '#none' }, ['$ref']],
    ['a reference with a bad escape', { $ref: '#/%zz' }, ['$ref']],
    ['a reference to itself', { properties: { a: { $ref: '#/properties/a' } } }, ['properties', 'a']],
    [
      'a circle of alternatives',
      {
        $defs: { a: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } },
      },
      ['$defs', 'a'],
    ],
    ['an identifier that is no URI', { $id: 'http://[' }, ['$id']],
    ['no schema at all', 5, []],
    ['an array', [], []],
    ['a function inside', { default: () => 1 }, ['default']],
    ['a date inside', { default: new Date(0) }, ['default']],
  ])('invalid: %s', (_, schema, path) => {
    expect(refusalOf(schema)).toMatchObject({ code: 'invalid', path });
  });

  it.each([
    ['https://example.test/other', ['$ref']],
    ['other.json', ['$ref']],
    ['https://json-schema.org/draft/2020-12/schema', ['$ref']],
    ['file:///etc/passwd', ['$ref']],
  ])('remote-reference: %s', (reference, path) => {
    expect(refusalOf({ $ref: reference })).toMatchObject({ code: 'remote-reference', path });
  });

  it.each([
    '(',
    'a{2,1}',
    '[b-a]',
    '\\',
    '(?<a',
    '*',
    '(?i:a)',
    `${'('.repeat(200)}a${')'.repeat(200)}`,
    '(?:ab){20000}',
    '(((a{50}){50}){50}){50}',
  ])('pattern: %s', (pattern) => {
    expect(refusalOf({ items: { pattern } })).toMatchObject({ code: 'pattern', path: ['items', 'pattern'] });
    expect(refusalOf({ patternProperties: { [pattern]: {} } })).toMatchObject({
      code: 'pattern',
      path: ['patternProperties', pattern],
    });
  });

  it('refuses invalid limits', () => {
    expect(() => compileJsonSchema({}, { maxWork: 0 })).toThrow(UsageError);
    expect(() => compileJsonSchema({}, { maxDepth: Number.NaN })).toThrow(/`maxDepth`/);
  });

  it('counts bytes as UTF-8', () => {
    expect(refusalOf({ const: 'é'.repeat(10) }, 1, { maxBytes: 31 }).code).toBe('too-large');
    expect(compileJsonSchema({ const: 'é'.repeat(10) }, { maxBytes: 32 }).validate(1).valid).toBe(false);
    expect(refusalOf({ const: '😀'.repeat(10) }, 1, { maxBytes: 51 }).code).toBe('too-large');
    expect(compileJsonSchema({ const: '😀'.repeat(10) }, { maxBytes: 52 }).validate(1).valid).toBe(false);
  });

  it('applies the limits of each call, even to a cached schema', () => {
    const schema = { type: 'array', items: { type: 'array', items: { type: 'number' } } };
    compileJsonSchema(schema);
    expect(refusalOf(schema, [], { maxDepth: 2 }).code).toBe('too-deep');
    expect(refusalOf(schema, [], { maxNodes: 5 }).code).toBe('too-many-nodes');
    expect(refusalOf(schema, [[1, 2, 3]], { maxWork: 5 })).toMatchObject({
      code: 'too-much-work',
      path: [0, 0],
    });
  });
});

describe('a validator', () => {
  it('does not change when the schema is changed', () => {
    const schema = { type: 'object', properties: { a: { enum: ['x'] } } };
    const validator = compileJsonSchema(schema);
    schema.properties.a.enum.push('y');
    expect(validator.validate({ a: 'y' }).valid).toBe(false);
    expect(compileJsonSchema(schema).validate({ a: 'y' }).valid).toBe(true);
  });

  it('treats an `undefined` property as missing', () => {
    const validator = compileJsonSchema({
      properties: { a: { type: 'string' } },
      required: ['b'],
      additionalProperties: false,
    });
    expect(validator.validate({ a: undefined, b: 1 }).valid).toBe(false);
    expect(
      compileJsonSchema({ properties: { a: { type: 'string' } }, required: ['a'] }).validate({ a: undefined })
        .valid,
    ).toBe(false);
    expect(compileJsonSchema({ additionalProperties: false }).validate({ a: undefined }).valid).toBe(true);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, 1n, Symbol('s'), (): number => 1])(
    'treats %s as no JSON type',
    (value) => {
      const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
      expect(judge({ type: types }, value)).toBe(false);
    },
  );

  it('stops at 100 issues', () => {
    const result = compileJsonSchema({ items: { type: 'string' } }).validate(
      Array.from({ length: 1000 }, () => 1),
    );
    expect(result).toMatchObject({ valid: false });
    expect(result.valid ? [] : result.issues).toHaveLength(100);
  });

  it('still rejects when the reasons would be too much work', () => {
    const schema = { type: 'array', items: { anyOf: [{ required: ['a'] }, { required: ['b'] }] } };
    const value = [...Array.from({ length: 10 }, () => ({ a: 1 })), {}];
    const work = Array.from({ length: 400 }, (_, index) => index + 1).find((maxWork) => {
      try {
        return !compileJsonSchema(schema, { maxWork }).validate(value).valid;
      } catch {
        return false;
      }
    });
    expect(work).toBeGreaterThan(10);
  });
});

describe('the issues', () => {
  it.each<[string, JsonSchema, unknown, readonly { path: (string | number)[]; message: string }[]]>([
    ['a type', { type: 'string' }, 5, [{ path: [], message: 'Expected string, got number' }]],
    [
      'several types',
      { type: ['integer', 'null'] },
      1.5,
      [{ path: [], message: 'Expected null or integer, got 1.5' }],
    ],
    [
      'members in one go',
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { items: { minimum: 2 } } },
        required: ['a', 'c'],
        additionalProperties: false,
      },
      { a: 1, b: [2, 1], d: 1 },
      [
        { path: [], message: 'Missing required property `c`' },
        { path: ['a'], message: 'Expected string, got number' },
        { path: ['b', 1], message: 'Expected at least 2, got 1' },
        { path: [], message: 'Unexpected property `d`' },
      ],
    ],
    [
      'an enum',
      { enum: ['a', 'b', 1] },
      'c',
      [{ path: [], message: 'Expected one of "a", "b", 1, got "c"' }],
    ],
    ['a constant', { const: { a: 1 } }, [1], [{ path: [], message: 'Expected {"a":1}, got array' }]],
    [
      'a length',
      { minLength: 1, maxLength: 3 },
      'abcd',
      [{ path: [], message: 'Expected a string of 1 to 3 characters, got "abcd"' }],
    ],
    [
      'a pattern',
      { pattern: '^a' },
      'b',
      [{ path: [], message: 'Expected a string that matches `^a`, got "b"' }],
    ],
    [
      'a format',
      { format: 'date' },
      'b',
      [{ path: [], message: 'Expected a string of the format `date`, got "b"' }],
    ],
    [
      'the kinds of alternatives',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      5,
      [{ path: [], message: 'Expected null or string, got number' }],
    ],
    [
      'the alternative that was meant',
      { anyOf: [{ type: 'object', required: ['a'] }, { type: 'null' }] },
      {},
      [{ path: [], message: 'Missing required property `a`' }],
    ],
    [
      'the alternative of a discriminator',
      {
        oneOf: [
          { properties: { kind: { const: 'a' }, n: { type: 'number' } }, required: ['kind', 'n'] },
          { properties: { kind: { const: 'b' }, s: { type: 'string' } }, required: ['kind', 's'] },
        ],
      },
      { kind: 'b', s: 5 },
      [{ path: ['s'], message: 'Expected string, got number' }],
    ],
    [
      'a discriminator that is none',
      { oneOf: [{ properties: { kind: { const: 'a' } } }, { properties: { kind: { const: 'b' } } }] },
      { kind: 'c' },
      [{ path: ['kind'], message: 'Expected one of "a", "b", got "c"' }],
    ],
    [
      'too many matches',
      { oneOf: [{ minimum: 1 }, { maximum: 5 }] },
      3,
      [{ path: [], message: 'Expected exactly one of the 2 alternatives to match, got 0 and 1' }],
    ],
    [
      'a dependency',
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      [{ path: [], message: 'Missing required property `b`, which `a` requires' }],
    ],
    [
      'items that are equal',
      { uniqueItems: true },
      [1, 2, 1],
      [{ path: [], message: 'Expected unique items, got the same at 0 and 2' }],
    ],
    ['a count', { minProperties: 1 }, {}, [{ path: [], message: 'Expected at least 1 property, got 0' }]],
  ])('name %s', (_, schema, value, issues) => {
    expect(compileJsonSchema(schema).validate(value)).toEqual({ valid: false, issues });
  });

  it('cut a long value', () => {
    const result = compileJsonSchema({ const: 'a' }).validate('b'.repeat(100_000));
    expect(result.valid ? '' : result.issues[0]?.message.length).toBeLessThan(120);
  });
});
