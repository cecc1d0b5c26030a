import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SchemaError } from '../../errors/schema-error.ts';
import { UsageError } from '../../errors/usage-error.ts';
import type { JsonSchema } from '../engine/read-schema.ts';
import { toJsonSchema } from '../to-json-schema.ts';
import { DIALECTS, type SchemaDialect } from './profiles/dialect-profile.ts';
import { lowerJsonSchema } from './lower-json-schema.ts';

const lower = (schema: z.ZodType, dialect: SchemaDialect): ReturnType<typeof lowerJsonSchema> =>
  lowerJsonSchema(toJsonSchema(schema), dialect);
const lossesOf = (schema: JsonSchema, dialect: SchemaDialect): string[] =>
  lowerJsonSchema(schema, dialect).losses.map(({ path, keyword }) => `${keyword} /${path.join('/')}`);

describe('an optional property', () => {
  it('becomes nullable if all properties are required, and that null is dropped again', () => {
    const { schema, losses, inverse } = lower(z.object({ a: z.string().optional(), b: z.int() }), 'openai');
    expect(schema).toMatchObject({ properties: { a: { type: ['string', 'null'] } }, required: ['a', 'b'] });
    expect(losses).toEqual([]);
    expect(inverse({ a: null, b: 1 })).toEqual({ b: 1 });
    expect(inverse({ a: 'x', b: 1 })).toEqual({ a: 'x', b: 1 });
  });

  it('keeps a null that the schema allows, and reports that absent cannot be distinguished', () => {
    const { losses, inverse } = lower(z.object({ a: z.string().nullish() }), 'codex');
    expect(inverse({ a: null })).toEqual({ a: null });
    expect(losses).toMatchObject([{ path: ['properties', 'a'], keyword: 'required' }]);
  });

  it('stays optional if the provider supports it', () => {
    expect(lower(z.object({ a: z.string().optional() }), 'anthropic').schema).not.toHaveProperty(
      'required.0',
    );
  });
});

describe('a map', () => {
  it('becomes a list of entries if objects are closed, and is restored to a map', () => {
    const { schema, inverse } = lower(z.object({ m: z.record(z.string(), z.int()) }), 'openai');
    expect(schema).toMatchObject({
      properties: {
        m: { type: 'array', items: { required: ['key', 'value'], additionalProperties: false } },
      },
    });
    expect(
      inverse({
        m: [
          { key: 'x', value: 1 },
          { key: '__proto__', value: 2 },
        ],
      }),
    ).toEqual({
      m: JSON.parse('{"x":1,"__proto__":2}'),
    });
  });

  it('next to named properties has its own key, and never replaces a named one', () => {
    const { inverse } = lower(z.object({ a: z.int().optional() }).catchall(z.string()), 'anthropic');
    expect(
      inverse({
        additionalProperties: [
          { key: 'b', value: 'x' },
          { key: 'a', value: 'no' },
        ],
      }),
    ).toEqual({ b: 'x' });
  });

  it('with listed names becomes an object with those names', () => {
    const { schema, losses } = lower(z.record(z.enum(['x', 'y']), z.int()), 'openai');
    expect(schema).toMatchObject({ type: 'object', required: ['x', 'y'], additionalProperties: false });
    expect(losses).toEqual([]);
  });

  it('stays a map for gemini and claude-code', () => {
    for (const dialect of ['gemini', 'claude-code'] as const) {
      expect(lower(z.object({ m: z.record(z.string(), z.int()) }), dialect).schema).toHaveProperty(
        'properties.m.additionalProperties',
      );
    }
  });
});

describe('const and enum', () => {
  it.each(DIALECTS)('are never lost for %s', (dialect) => {
    const values = ['a', 1, true, null, { b: [1] }];
    const { schema, losses, inverse } = lowerJsonSchema(
      {
        type: 'object',
        properties: { e: { enum: values }, c: { const: { x: null } } },
        required: ['e', 'c'],
      },
      dialect,
    );
    expect(losses).toEqual([]);
    const isAsIs = dialect === 'claude-code';
    expect(schema).toMatchObject({
      properties: { e: { enum: isAsIs ? values : values.map((value) => JSON.stringify(value)) } },
    });
    if (!isAsIs) {
      expect(inverse({ e: '{"b":[1]}', c: '{"x":null}' })).toEqual({ e: { b: [1] }, c: { x: null } });
    }
  });

  it('keep only the values that the keywords beside them allow', () => {
    const { schema } = lowerJsonSchema(
      { type: 'object', properties: { e: { type: 'string', enum: ['a', 1] } } },
      'gemini',
    );
    expect(schema).toMatchObject({ properties: { e: { type: 'string', enum: ['a'] } } });
  });
});

describe('the root', () => {
  const union = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), n: z.int().optional() }),
    z.object({ kind: z.literal('b'), list: z.array(z.string()) }),
  ]);

  it('is wrapped in `output` if it is an array or a union, and unwrapped again', () => {
    for (const dialect of ['openai', 'anthropic', 'codex', 'claude-code'] as const) {
      expect(lower(z.array(z.int()), dialect).inverse({ output: [1] })).toEqual([1]);
      expect(lower(union, dialect).schema).toMatchObject({ type: 'object', required: ['output'] });
    }
    expect(lower(union, 'openai').inverse({ output: { kind: 'a', n: null } })).toEqual({ kind: 'a' });
  });

  it('stays unchanged for gemini', () => {
    expect(lower(z.array(z.int()), 'gemini').schema).toMatchObject({ type: 'array' });
  });

  it('with a discriminator loses nothing as anyOf; one without reports a loss', () => {
    expect(lower(union, 'openai').losses).toEqual([]);
    const oneOf = [
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: 'object', properties: { b: { type: 'string' } } },
    ];
    expect(lossesOf({ oneOf }, 'openai')).toEqual(['oneOf /oneOf']);
  });
});

describe('allOf', () => {
  it('of two unions is a union of their pairs', () => {
    const schema = z.object({
      both: z.intersection(
        z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]),
        z.union([z.object({ c: z.string().optional() }), z.object({ d: z.string() })]),
      ),
    });
    const { schema: lowered, losses, inverse } = lower(schema, 'openai');
    expect(losses).toEqual([]);
    expect(lowered).toHaveProperty('properties.both.anyOf.length', 4);
    expect(inverse({ both: { b: 1, c: null } })).toEqual({ both: { b: 1 } });
  });

  it('keeps the tighter bound, and reports contradictions', () => {
    const schema = {
      type: 'object',
      properties: {
        n: {
          allOf: [
            { type: 'integer', minimum: 1 },
            { type: 'number', minimum: 3, multipleOf: 2 },
            { multipleOf: 3 },
          ],
        },
      },
    };
    expect(lowerJsonSchema(schema, 'gemini').schema).toMatchObject({
      properties: { n: { type: 'integer', minimum: 3 } },
    });
    expect(lossesOf(schema, 'openai')).toEqual(['multipleOf /properties/n']);
  });
});

describe('recursion', () => {
  const Tree = z.object({
    name: z.string(),
    get children() {
      return z.array(Tree);
    },
  });

  it('is kept by openai, and restored at every depth', () => {
    const Chain = z.object({
      name: z.string(),
      get next() {
        return Chain.optional();
      },
    });
    const { schema, losses, inverse } = lower(Chain, 'openai');
    expect(JSON.stringify(schema)).toContain('"$ref":"#/$defs/root"');
    expect(losses).toEqual([]);
    expect(inverse({ name: 'a', next: { name: 'b', next: null } })).toEqual({
      name: 'a',
      next: { name: 'b' },
    });
  });

  it('ends in JSON text for anthropic, which does not support it', () => {
    const { losses, inverse } = lower(Tree, 'anthropic');
    expect(losses).toMatchObject([{ path: ['properties', 'children', 'items', '$ref'], keyword: '$ref' }]);
    expect(inverse({ name: 'a', children: ['{"name":"b","children":[]}'] })).toEqual({
      name: 'a',
      children: [{ name: 'b', children: [] }],
    });
  });

  it('is used only in optional properties for gemini', () => {
    const { schema, losses } = lower(Tree, 'gemini');
    expect(schema).toMatchObject({ $defs: { root: { required: ['name'] } } });
    expect(losses.map(({ keyword }) => keyword)).toEqual(['required']);
  });

  it('with keywords next to the reference becomes its own definition', () => {
    const schema = {
      $ref: '#/$defs/n',
      $defs: { n: { type: 'object', properties: { n: { $ref: '#/$defs/n', minProperties: 1 } } } },
    };
    expect(lossesOf(schema, 'openai')).toEqual(['minProperties /$defs/n/properties/n/minProperties']);
    expect(lossesOf(schema, 'anthropic')).toContain('$ref /$defs/n/properties/n/$ref');
    const { schema: lowered } = lowerJsonSchema(schema, 'openai');
    expect(JSON.stringify(lowered)).toContain('{"$ref":"#/$defs/_defs_n_properties_n"}');
  });
});

describe('losses', () => {
  it('name the path in the original schema, even inside allOf and a tuple', () => {
    const text = { type: 'string', minLength: 2 };
    const schema = {
      allOf: [
        { type: 'object', properties: { a: text }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'array', prefixItems: [text], items: false } } },
      ],
    };
    expect(lossesOf(schema, 'openai').sort()).toEqual([
      'minLength /allOf/0/properties/a/minLength',
      'minLength /allOf/1/properties/b/prefixItems/0/minLength',
    ]);
  });

  it('are described to the model in the description', () => {
    const { schema } = lower(z.object({ a: z.string().min(2).describe('A name.').default('Al') }), 'openai');
    expect(schema).toHaveProperty('properties.a.description', 'A name.\n(minLength: 2, default: "Al")');
  });

  it('hold a pattern with look-around for openai, and every pattern for anthropic', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(?!x)' }, b: { type: 'string', pattern: '^b' } },
    };
    expect(lossesOf(schema, 'openai')).toEqual(['pattern /properties/a/pattern']);
    expect(lossesOf(schema, 'anthropic')).toHaveLength(2);
    expect(lossesOf(schema, 'claude-code')).toEqual([]);
  });
});

describe('unsupported schemas are refused', () => {
  const refusal = (schema: JsonSchema, dialect: SchemaDialect): SchemaError => {
    try {
      lowerJsonSchema(schema, dialect);
    } catch (error) {
      if (SchemaError.isInstance(error)) return error;
    }
    return expect.unreachable('it was taken');
  };

  it('a required property that no value fits, by its path', () => {
    const error = refusal({ type: 'object', properties: { a: false }, required: ['a'] }, 'openai');
    expect([error.code, error.path]).toEqual(['unsupported', ['properties', 'a']]);
  });

  it('an enumeration beyond the limit, by the path of the root', () => {
    const values = Array.from({ length: 1001 }, (_, index) => `v${index}`);
    const error = refusal({ type: 'object', properties: { a: { enum: values } } }, 'codex');
    expect(error.code).toBe('unsupported');
    expect(error.message).toMatch(/at most 1000 enum values, at the root \(OpenAI.*2026-11-21\)/u);
  });

  it('alternatives that multiply without bound', () => {
    const nest = (depth: number): JsonSchema =>
      depth === 0
        ? { type: 'string' }
        : {
            anyOf: [1, 2, 3, 4].map((n) => ({
              allOf: [{ type: 'object', properties: { [`p${n}`]: nest(depth - 1) } }],
            })),
          };
    expect(refusal(nest(7), 'openai').code).toMatch(/too-/u);
  });

  it('an unknown dialect', () => {
    expect(() => lowerJsonSchema({}, 'nobody' as SchemaDialect)).toThrow(UsageError);
  });
});

it('an answer that is not in the lowered form stays unchanged', () => {
  const { inverse } = lower(z.object({ a: z.record(z.string(), z.int()), t: z.tuple([z.int()]) }), 'openai');
  for (const value of [null, 'x', [], { a: 1, t: 2 }, { a: [1], t: [] }]) {
    expect(inverse(value)).toEqual(value);
  }
});
