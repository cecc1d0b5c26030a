import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../engine/compile-json-schema.ts';
import type { JsonSchema } from '../engine/read-schema.ts';
import type { SchemaDialect } from './profiles/dialect-profile.ts';
import { lowerJsonSchema, SCHEMA_DIALECTS } from './lower-json-schema.ts';

const DIALECTS = Object.keys(SCHEMA_DIALECTS) as SchemaDialect[];

/** A definition with a property named like a keyword, as in Kubernetes' schemas of schemas. */
const NAMED_REQUIRED = {
  $ref: '#/$defs/n',
  $defs: {
    n: {
      type: 'object',
      properties: { required: { type: 'boolean' }, child: { $ref: '#/$defs/n' } },
      required: ['required'],
    },
  },
} as const;

const DANGLING = {
  type: 'object',
  properties: { a: { $ref: '#/constraints/x' } },
  constraints: { x: { type: 'string', minLength: 2 } },
} as const;

const ANCHOR = {
  type: 'object',
  properties: { a: { $ref: '#here' } },
  required: ['a'],
  $defs: { x: { $anchor: 'here', type: 'string' } },
} as const;

const OPEN = { type: 'object', properties: {}, additionalProperties: true } as const;

describe('a property that is named like a keyword', () => {
  it('is kept in a recursive definition for gemini', () => {
    const { schema, losses } = lowerJsonSchema(NAMED_REQUIRED, 'gemini');
    expect(JSON.stringify(schema)).toContain('"required":{"type":"boolean"}');
    expect(losses).toEqual([]);
    expect(compileJsonSchema(schema).validate({ required: true, child: { required: false } }).valid).toBe(
      true,
    );
  });
});

describe('an object inside a recursive definition that requires a reference back', () => {
  it.each(['required', 'enum', 'type', 'const', 'default', 'examples', 'properties'])(
    'is freed for gemini below a property that is named %s',
    (name) => {
      // It ends in `null`. Without an end, no value would fit it.
      const back = { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] };
      const inner = { type: 'object', properties: { back }, required: ['back'] };
      const n = { type: 'object', properties: { [name]: inner }, required: [name] };
      const { schema, losses } = lowerJsonSchema({ $ref: '#/$defs/n', $defs: { n } }, 'gemini');
      expect(schema).toHaveProperty(['$defs', 'n', 'required'], []);
      expect(schema).toHaveProperty(['$defs', 'n', 'properties', name, 'required'], []);
      expect(losses.map(({ path }) => path)).toEqual([
        ['$defs', 'n', 'properties', name],
        ['$defs', 'n', 'properties', name, 'properties', 'back'],
      ]);
    },
  );
});

describe('lowering is idempotent', () => {
  const list: Readonly<Record<string, JsonSchema>> = { NAMED_REQUIRED, DANGLING, ANCHOR, OPEN };
  it.each(DIALECTS.flatMap((dialect) => Object.keys(list).map((name) => [dialect, name] as const)))(
    'for %s: %s',
    (dialect, name) => {
      const once = lowerJsonSchema(list[name] ?? true, dialect);
      const twice = lowerJsonSchema(once.schema, dialect);
      expect(twice.schema).toEqual(once.schema);
      expect(twice.losses).toEqual([]);
    },
  );
});

describe('a reference', () => {
  it.each(DIALECTS)('outside of `$defs` leads to a schema for %s', (dialect) => {
    const { schema } = lowerJsonSchema(DANGLING, dialect);
    const { valid } = compileJsonSchema(schema).validate({ a: 'xyz' });
    expect(valid).toBe(true);
    expect(compileJsonSchema(schema).validate({ a: 1 }).valid).toBe(false);
  });

  it.each(DIALECTS)('by anchor leads to a schema for %s', (dialect) => {
    const { schema } = lowerJsonSchema(ANCHOR, dialect);
    expect(JSON.stringify(schema)).not.toContain('#here');
    expect(compileJsonSchema(schema).validate({ a: 'x' }).valid).toBe(true);
    expect(compileJsonSchema(schema).validate({ a: 1 }).valid).toBe(false);
  });
});

describe('an explicitly open object', () => {
  it.each(['openai', 'anthropic', 'codex'] as const)('is a list of entries for %s', (dialect) => {
    const { inverse, changes } = lowerJsonSchema(
      { type: 'object', properties: { m: OPEN }, required: ['m'] },
      dialect,
    );
    expect(changes.map(({ keyword }) => keyword)).toContain('additionalProperties');
    expect(inverse({ m: [{ key: 'k', value: '1' }] })).toEqual({ m: { k: 1 } });
  });

  it('stays open for gemini and claude-code', () => {
    for (const dialect of ['gemini', 'claude-code'] as const) {
      const { schema, inverse } = lowerJsonSchema(OPEN, dialect);
      const answer = { k: 'x' };
      expect(compileJsonSchema(schema).validate(answer).valid).toBe(true);
      expect(inverse(answer)).toEqual(answer);
    }
  });

  it('beside named properties is closed for openai, and a change says so', () => {
    const named = {
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: true,
    } as const;
    const { schema, changes } = lowerJsonSchema(named, 'openai');
    expect(schema['additionalProperties']).toBe(false);
    expect(changes).toContainEqual(
      expect.objectContaining({ path: ['additionalProperties'], keyword: 'additionalProperties' }),
    );
    expect(lowerJsonSchema(named, 'gemini').schema['additionalProperties']).not.toBe(false);
  });
});

describe('draft 04', () => {
  it.each(DIALECTS)('a boolean `exclusiveMinimum` never reaches %s', (dialect) => {
    const draft04 = {
      type: 'object',
      properties: { a: { type: 'integer', minimum: 3, exclusiveMinimum: true } },
      required: ['a'],
      $schema: 'http://json-schema.org/draft-04/schema#',
    } as const;
    const { schema } = lowerJsonSchema(draft04, dialect);
    expect(JSON.stringify(schema)).not.toContain('"exclusiveMinimum":true');
  });

  it.each(['openai', 'claude-code', 'grammar'] as const)(
    'bounds are kept by %s in the form of later drafts',
    (dialect) => {
      const { schema, changes } = lowerJsonSchema(
        {
          $schema: 'http://json-schema.org/draft-04/schema#',
          type: 'object',
          additionalProperties: false,
          properties: {
            a: { type: 'integer', maximum: 3, exclusiveMaximum: true },
            b: { type: 'integer', minimum: 2, exclusiveMinimum: false },
          },
          required: ['a', 'b'],
        },
        dialect,
      );
      expect(schema['properties']).toEqual({
        a: { type: 'integer', exclusiveMaximum: 3 },
        b: { type: 'integer', minimum: 2 },
      });
      expect(changes).toEqual([]);
    },
  );
});

describe('a part that no value fits, or with few constraints', () => {
  it.each(DIALECTS.filter((dialect) => dialect !== 'claude-code'))(
    'alternatives that are all `false` are refused for %s',
    (dialect) => {
      const schema = {
        type: 'object',
        properties: { a: { anyOf: [false, false] } },
        required: ['a'],
      } as const;
      expect(() => lowerJsonSchema(schema, dialect)).toThrowError(
        expect.objectContaining({ code: 'unsupported', path: ['properties', 'a'] }),
      );
    },
  );

  it('a custom format alone does not make a string', () => {
    const { schema, inverse } = lowerJsonSchema(
      { type: 'object', properties: { a: { format: 'positiveInteger' } }, required: ['a'] },
      'openai',
    );
    expect(inverse({ a: '3' })).toEqual({ a: 3 });
    expect(JSON.stringify(schema)).not.toContain('"format"');
  });

  it.each(['openai', 'anthropic', 'gemini', 'codex'] as const)(
    'an `enum` keeps the values of its `type` for %s',
    (dialect) => {
      const { schema } = lowerJsonSchema(
        { type: 'object', properties: { a: { type: 'string', enum: ['x', 1, null] } }, required: ['a'] },
        dialect,
      );
      expect(JSON.stringify(schema)).toContain('["x"]');
    },
  );
});

describe('the limits of a request to Anthropic', () => {
  const optional = (count: number, part: JsonSchema = { type: 'string' }): JsonSchema => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, part])),
  });

  it('24 optional properties stay optional', () => {
    const { schema, changes } = lowerJsonSchema(optional(24), 'anthropic');
    expect(schema['required']).toEqual([]);
    expect(changes).toEqual([]);
  });

  it('the excess becomes required with `null`, and the inverse drops that `null`', () => {
    const { schema, changes, inverse } = lowerJsonSchema(optional(30), 'anthropic');
    expect(schema['required']).toHaveLength(6);
    expect(changes).toHaveLength(6);
    expect(inverse({ p0: null, p1: 'x', p29: 'y' })).toEqual({ p1: 'x', p29: 'y' });
  });

  it('40 optional properties are the most that both limits allow', () => {
    expect(lowerJsonSchema(optional(40), 'anthropic').schema['required']).toHaveLength(16);
    expect(() => lowerJsonSchema(optional(41), 'anthropic')).toThrowError(
      expect.objectContaining({ code: 'unsupported', path: ['properties', 'p24'] }),
    );
  });

  it('a schema of 17 unions is refused at the first that is too many', () => {
    const unions = optional(17, { type: ['string', 'null'] });
    expect(() => lowerJsonSchema(unions, 'anthropic')).toThrowError(
      expect.objectContaining({ code: 'unsupported', path: ['properties', 'p16'] }),
    );
  });
});
