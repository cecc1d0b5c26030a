/** The dialect of servers of unknown make: only what every engine keeps. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileJsonSchema } from '../engine/compile-json-schema.ts';
import type { JsonSchema } from '../engine/read-schema.ts';
import { lowerJsonSchema, type LoweredJsonSchema } from './lower-json-schema.ts';
import { portableToolSchema } from './portable-tool-schema.ts';

function lowerPart(part: JsonSchema): LoweredJsonSchema & { readonly part: unknown } {
  const lowered = lowerJsonSchema({ type: 'object', properties: { a: part }, required: ['a'] }, 'grammar');
  return { ...lowered, part: (lowered.schema['properties'] as Record<string, unknown>)['a'] };
}

describe('a string', () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    ['a shorthand is a class', { pattern: String.raw`^\d{3}-\w$` }, { pattern: '^[0-9]{3}-[0-9A-Z_a-z]$' }],
    ['an escape is a class', { pattern: String.raw`^\+\.$` }, { pattern: '^[+][.]$' }],
    ['a group is plain', { pattern: '^(?:ab)+(?<n>c|d)$' }, { pattern: '^(ab)+(c|d)$' }],
    [
      'a pattern is anchored',
      { pattern: 'ab' },
      { pattern: String.raw`^[^\x00-\x1f\x22\x5c]*ab[^\x00-\x1f\x22\x5c]*$` },
    ],
    [
      'a length is in the repeat',
      { pattern: '^[a-z-]+$', maxLength: 30 },
      { pattern: String.raw`^[a-z\x2d]{1,30}$` },
    ],
    [
      'a pattern of any text is a length',
      { pattern: '^.{2,50}$', maxLength: 40 },
      { minLength: 2, maxLength: 40 },
    ],
    ['a pattern of no blank text is a length', { pattern: String.raw`\S` }, { minLength: 1 }],
    ['lengths are kept', { minLength: 2, maxLength: 2_000 }, { minLength: 2, maxLength: 2_000 }],
  ])('%s', (_, part, sent) => {
    const { part: lowered } = lowerPart({ type: 'string', ...(part as object) });
    const { description: _told, ...rest } = lowered as Record<string, unknown>;
    expect(rest).toEqual({ type: 'string', ...(sent as object) });
  });

  it.each(['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid'])(
    'of the format %s is sent with a pattern, and without the format',
    (format) => {
      const { part, losses } = lowerPart({ type: 'string', format });
      expect(part).toEqual({ type: 'string', pattern: expect.any(String) });
      expect(losses).toEqual([]);
    },
  );

  it.each<[string, string, readonly string[]]>([
    ['date', '2026-02-28', ['2026-13-01', '26-01-01']],
    ['time', '23:59:60Z', ['24:00:00Z', '12:00']],
    ['date-time', '2026-02-28T10:00:00.25+02:00', ['2026-02-28 10:00']],
    ['duration', 'P1Y2M3DT4H5M6S', ['P', '1D', 'PT']],
    ['duration', 'P3W', ['P3W1D']],
    ['email', 'a.b+c@mail.example.com', ['a b@c.d', '@c.d']],
    ['hostname', 'a-1.example', ['-a.b', 'a..b']],
    ['ipv4', '192.0.2.255', ['256.0.0.1', '1.2.3']],
    ['ipv6', '2001:db8::192.0.2.1', ['2001', 'g::1']],
    ['ipv6', '::', [':']],
    ['ipv6', '1:2:3:4:5:6:7::', ['1:2']],
    ['uri', 'https://example.com/a?b=%20#c', ['example.com', 'https: //x']],
    ['uuid', '3F2b8c1e-5d4a-4f6b-9a7c-1e2d3c4b5a69', ['3f2b8c1e5d4a4f6b9a7c1e2d3c4b5a69']],
  ])('of the format %s can be %s', (format, right, wrong) => {
    const { pattern } = lowerPart({ type: 'string', format }).part as { pattern: string };
    expect(compileJsonSchema({ type: 'string', format }).validate(right).valid).toBe(true);
    expect(right).toMatch(new RegExp(pattern, 'u'));
    for (const text of wrong) expect(text).not.toMatch(new RegExp(pattern, 'u'));
  });

  it('with the pattern and the format of Zod loses nothing', () => {
    const zod = z.toJSONSchema(z.object({ on: z.iso.date(), to: z.email(), at: z.iso.datetime() }));
    const { schema, losses } = lowerJsonSchema(zod, 'grammar');
    expect(JSON.stringify(zod)).toMatch(/"format"/u);
    expect(JSON.stringify(schema)).not.toMatch(/"format"|\\\\d/u);
    expect(losses).toEqual([]);
  });

  it.each<[string, z.ZodType, string]>([
    [
      'email',
      z.email(),
      `${'a'.repeat(64)}@${Array.from({ length: 8 }, () => 'b'.repeat(63)).join('.')}.example`,
    ],
    ['email', z.email(), `${'a.'.repeat(8)}b-c@d.example`],
    ['hostname', z.hostname(), Array.from({ length: 21 }, () => 'b'.repeat(11)).join('.')],
    ['date-time', z.iso.datetime({ offset: true }), '2026-02-28T10:00:00.123456789+02:00'],
    ['duration', z.iso.duration(), 'P1000000000DT9999999999S'],
  ])('with the %s of Zod ends each repeat, and takes the longest: %#', (_, zod, longest) => {
    const { part, changes } = lowerPart(z.toJSONSchema(zod));
    const { pattern } = part as { pattern: string };
    expect(zod.safeParse(longest).success).toBe(true);
    expect(longest).toMatch(new RegExp(pattern, 'u'));
    expect(pattern).not.toMatch(/[*+](?![^[]*\])|,\}/u);
    expect(changes.map(({ keyword, form }) => [keyword, form])).toContainEqual([
      'pattern',
      expect.stringContaining('an end of each repeat'),
    ]);
  });

  it('that its pattern holds out for its length is an answer all the same', () => {
    const { schema, inverse } = lowerJsonSchema(z.toJSONSchema(z.object({ to: z.email() })), 'grammar');
    const long = { to: `${'a'.repeat(200)}@b.example` };
    const { pattern } =
      (schema['properties'] as Record<string, { pattern: string }>)['to'] ?? expect.unreachable();
    expect(long.to).not.toMatch(new RegExp(pattern, 'u'));
    expect(z.object({ to: z.email() }).safeParse(inverse(long))).toEqual({ success: true, data: long });
  });

  it('with a length ends the repeats in its groups and choices', () => {
    const { part } = lowerPart({ type: 'string', pattern: '^(a+b*|c([de]f)+)$', maxLength: 9 });
    expect(part).toMatchObject({ pattern: '^(a{1,9}b{0,9}|c([de]f){1,4})$' });
  });

  it.each<[string, JsonSchema, readonly string[]]>([
    ['a length of more than 2,000', { maxLength: 3_000 }, ['maxLength']],
    ['a length that no repeat takes', { pattern: '^(a+b+|c)$', maxLength: 9 }, ['maxLength']],
    ['an unknown format', { format: 'iri' }, ['format']],
    ['a look-around', { pattern: '^(?!x)[a-z]+$' }, ['pattern']],
    ['a pattern that is too large', { pattern: '^((a{50}b){50}c){50}$' }, ['pattern']],
    ['a long pattern in free text', { pattern: 'RL[a-zA-Z0-9]{32}' }, ['pattern']],
    ['a pattern of a quote', { pattern: '^"$' }, ['pattern']],
  ])('%s is named in losses, and said in words', (_, part, keywords) => {
    const { losses, part: lowered } = lowerPart({ type: 'string', ...(part as object) });
    expect(losses.map(({ keyword }) => keyword)).toEqual(keywords);
    for (const keyword of keywords) {
      expect(lowered).toHaveProperty('description', expect.stringContaining(keyword));
    }
  });
});

describe('a number', () => {
  it.each<[JsonSchema, readonly unknown[]]>([
    [{ type: 'integer', multipleOf: 10, minimum: 0, maximum: 40 }, [0, 10, 20, 30, 40]],
    [{ type: 'number', multipleOf: 0.1, exclusiveMinimum: 0, maximum: 0.3 }, [0.1, 0.2, 0.3]],
    [{ type: ['integer', 'null'], multipleOf: 5, minimum: 5, exclusiveMaximum: 15 }, [5, 10, null]],
  ])('that is a multiple within bounds is one of its values: %j', (part, values) => {
    expect(lowerPart(part).part).toMatchObject({ enum: values });
  });

  it('of more than 100 multiples stays a number, and its rules are said too', () => {
    const { part, losses } = lowerPart({ type: 'integer', multipleOf: 1, minimum: 0, maximum: 100 });
    expect(part).toMatchObject({ multipleOf: 1, description: '(multipleOf: 1)' });
    expect(losses.map(({ keyword }) => keyword)).toEqual(['multipleOf']);
  });

  it('with bounds of fractions is sent with them, and they are named in losses and said', () => {
    const { part, losses } = lowerPart({ type: 'number', minimum: 0, maximum: 1, description: 'A share.' });
    expect(part).toEqual({
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'A share.\n(minimum: 0, maximum: 1)',
    });
    expect(losses.map(({ keyword }) => keyword)).toEqual(['minimum', 'maximum']);
    const again = lowerPart(part as JsonSchema);
    expect(again.part).toEqual(part);
  });
});

const REFUSED =
  /uniqueItems|propertyNames|patternProperties|"not"|"if"|dependentRequired|allOf|oneOf|\\\\d|"\$ref":"#"/u;

const HOSTILE = {
  type: 'object',
  properties: {
    list: { type: 'array', items: { type: 'string', pattern: String.raw`^\d+$` }, uniqueItems: true },
    map: {
      type: 'object',
      propertyNames: { pattern: '^[a-z]+$' },
      patternProperties: { '^x': { type: 'integer' } },
      additionalProperties: { type: 'string' },
    },
    choice: { oneOf: [{ type: 'string' }, { type: 'integer' }], not: { const: 'a' } },
    all: {
      allOf: [
        { type: 'object', properties: { b: { type: 'string' } } },
        { type: 'object', properties: { c: { type: 'integer' } }, required: ['c'] },
      ],
    },
    self: { $ref: '#' },
  },
  dependentRequired: { list: ['map'] },
  if: { required: ['all'] },
  else: { required: ['map'] },
};

it('sends no keyword that an engine refuses, drops, or turns against right answers', () => {
  const sent = JSON.stringify(lowerJsonSchema(HOSTILE, 'grammar').schema, withoutWords);
  expect(sent).not.toMatch(REFUSED);
});

function withoutWords(key: string, value: unknown): unknown {
  return key === 'description' ? undefined : value;
}

describe('the schema of a tool', () => {
  it('keeps its form, without those keywords', () => {
    const sent = portableToolSchema(HOSTILE);
    expect(JSON.stringify(sent, withoutWords)).not.toMatch(REFUSED);
    const { properties } = sent as { properties: Record<string, unknown> };
    expect(properties).toMatchObject({
      list: { type: 'array', items: { pattern: '^[0-9]+$' } },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      choice: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      all: { properties: { b: { type: 'string' }, c: { type: 'integer' } }, required: ['c'] },
    });
    const value = { list: ['1'], map: { a: 'b' }, choice: 1, all: { c: 1 } };
    expect(compileJsonSchema(HOSTILE).validate(value).valid).toBe(true);
    expect(compileJsonSchema(sent).validate(value)).toEqual({ valid: true });
    expect(compileJsonSchema(sent).validate({ self: { self: { all: {} } } }).valid).toBe(false);
  });

  it('is trimmed once', () => {
    const schema = { type: 'object', properties: { a: { pattern: String.raw`\d` } } };
    expect(portableToolSchema(schema)).toBe(portableToolSchema(schema));
  });

  it('is sent as it is if a reference leads nowhere', () => {
    const schema = { type: 'object', properties: { a: { $ref: 'https://example.com/a' } } };
    expect(portableToolSchema(schema)).toBe(schema);
  });

  it('loses a pattern that is none', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '[' } } };
    expect(portableToolSchema(schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string', description: '(pattern: "[")' } },
    });
  });
});
