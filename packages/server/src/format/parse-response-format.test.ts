import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { FormatProblem } from './format-problem.ts';
import { parseResponseFormat, type ParseFormatOptions } from './parse-response-format.ts';

const SCHEMA = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

function format(part: object = {}, around: object = {}): string {
  return JSON.stringify({
    type: 'json_schema',
    json_schema: { name: 'answer', schema: SCHEMA, ...part },
    ...around,
  });
}

function problems(text: string, options?: ParseFormatOptions): readonly FormatProblem[] {
  const parsed = parseResponseFormat(text, options);
  return parsed.type === 'refused' ? parsed.problems : [];
}

function fields(text: string): string[] {
  return problems(text).map(({ field, pointer }) => `${field}${pointer === undefined ? '' : `#${pointer}`}`);
}

const schemaAt = (schema: unknown): string => format({ schema });
const within = 'response_format.json_schema';

describe('an ordinary turn', () => {
  it.each([undefined, 'null', '{"type":"text"}'])('results from %s', (text) => {
    expect(parseResponseFormat(text)).toEqual({ type: 'text' });
  });
});

describe('a format', () => {
  it('is read with its name, its description and its schema', () => {
    expect(parseResponseFormat(format({ description: 'An answer', strict: true }))).toEqual({
      type: 'json_schema',
      format: { name: 'answer', description: 'An answer', schema: SCHEMA, isWrapped: false },
    });
  });

  it.each(['a', 'A_-9', 'x'.repeat(64)])('can be named %s', (name) => {
    expect(problems(format({ name }))).toEqual([]);
  });

  it.each([
    [
      'a local $ref',
      { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'null' } } },
    ],
    ['a reference to itself', { type: 'object', properties: { next: { $ref: '#' } } }],
    ['a union of 200 variants', { type: 'object', properties: { a: { anyOf: variants(200) } } }],
    ['twenty nullable fields', z.toJSONSchema(nullables(20))],
  ])('can contain %s', (_name, schema) => {
    expect(problems(schemaAt(schema))).toEqual([]);
  });

  it.each([
    [{ a: { $ref: '#/$defs/none' } }, '/properties/a/$ref', 'The reference has no target in the schema.'],
    [{ a: { type: 'text' } }, '/properties/a/type', 'Must be "array", "boolean", "integer"'],
    [{ a: { required: 1 } }, '/properties/a/required', 'Must be a list of property names'],
    [{ type: 1 }, '/properties/type', 'Must be a schema'],
    [{ a: { anyOf: [1] } }, '/properties/a/anyOf/0', 'Must be a schema'],
    [{ a: { minLength: 'x' } }, '/properties/a/minLength', 'Must be a whole number of 0 or more.'],
    [
      { a: { properties: { required: { minimum: '' } } } },
      '/properties/a/properties/required/minimum',
      'Must be a number',
    ],
    [{ properties: { type: 'text' } }, '/properties/properties/type', 'Must be "array"'],
  ])('with the properties %j has a problem at %s: %s', (properties, pointer, expected) => {
    const [problem] = problems(schemaAt({ type: 'object', properties }));
    expect(problem).toMatchObject({ pointer, detail: expect.stringContaining(expected) });
  });

  it('can have 16,384 bytes, with any white space', () => {
    const rest = JSON.stringify({ type: 'object', title: '' }).length;
    const schema = { type: 'object', title: 'x'.repeat(16_384 - rest) };
    expect(problems(schemaAt(schema))).toEqual([]);
    expect(problems(JSON.stringify(JSON.parse(schemaAt(schema)), undefined, 4))).toEqual([]);
    expect(fields(schemaAt({ ...schema, title: `${schema.title}x` }))).toEqual([`${within}.schema`]);
  });
});

describe('is refused, with its field', () => {
  it.each([
    ['no JSON', '{"type":', ['response_format']],
    ['an array', '[]', ['response_format']],
    ['a string', '"json_schema"', ['response_format']],
    ['a missing type', '{}', ['response_format.type']],
    ['an unknown type', '{"type":"xml"}', ['response_format.type']],
    ['json_object', '{"type":"json_object"}', ['response_format.type']],
    ['text with a json_schema', '{"type":"text","json_schema":{}}', [within]],
    ['a missing json_schema', '{"type":"json_schema"}', [within]],
    ['a json_schema that is null', '{"type":"json_schema","json_schema":null}', [within]],
    ['a missing name', format({ name: undefined }), [`${within}.name`]],
    ['an empty name', format({ name: '' }), [`${within}.name`]],
    ['a name with a space', format({ name: 'a b' }), [`${within}.name`]],
    ['a name of 65 characters', format({ name: 'x'.repeat(65) }), [`${within}.name`]],
    ['a name with a line break at its end', format({ name: 'a\n' }), [`${within}.name`]],
    ['strict: false', format({ strict: false }), [`${within}.strict`]],
    ['strict: null', format({ strict: null }), [`${within}.strict`]],
    ['a description that is no string', format({ description: 7 }), [`${within}.description`]],
    [
      'a description of 1,025 bytes',
      format({ description: `${'ä'.repeat(512)}x` }),
      [`${within}.description`],
    ],
    ['a missing schema', format({ schema: undefined }), [`${within}.schema`]],
    ['a schema that is null', schemaAt(null), [`${within}.schema`]],
    ['a schema that is true', schemaAt(true), [`${within}.schema`]],
    ['a schema that is an array', schemaAt([]), [`${within}.schema`]],
    ['a root that is an array', schemaAt({ type: 'array' }), [`${within}.schema#/type`]],
    ['a root without a type', schemaAt({ properties: {} }), [`${within}.schema#/type`]],
    ['a root of several types', schemaAt({ type: ['object', 'null'] }), [`${within}.schema#/type`]],
    [
      'a remote $ref',
      schemaAt({ type: 'object', $ref: 'https://example.invalid/a' }),
      [`${within}.schema#/$ref`],
    ],
    [
      'a $ref to a file',
      schemaAt({ type: 'object', $ref: 'file:///etc/passwd' }),
      [`${within}.schema#/$ref`],
    ],
    [
      'a $ref to another document',
      schemaAt({ type: 'object', $ref: 'other.json' }),
      [`${within}.schema#/$ref`],
    ],
    [
      'a remote $dynamicRef',
      schemaAt({ type: 'object', $dynamicRef: 'https://example.invalid/a' }),
      [`${within}.schema#/$dynamicRef`],
    ],
    [
      'a schema that does not compile',
      schemaAt({ type: 'object', required: 'a' }),
      [`${within}.schema#/required`],
    ],
    ['an unknown key', format({}, { extra: 1 }), ['response_format.extra']],
    ['an unknown key inside', format({ Schema: 1 }), [`${within}.Schema`]],
    ['a doubled type', format().replace('{', '{"type":"text",'), ['response_format.type']],
    ['a doubled name', format().replace('"name"', String.raw`"n\u0061me":"b","name"`), [`${within}.name`]],
    [
      'a doubled key in the schema',
      format().replace('"required"', '"required":[],"required"'),
      [`${within}.schema#/required`],
    ],
    [
      'half of a surrogate pair',
      format().replace('"answer":{', String.raw`"a":{"title":"\ud800"},"answer":{`),
      [`${within}.schema#/properties/a/title`],
    ],
  ])('%s', (_name, text, expected) => {
    expect(fields(text)).toEqual(expected);
  });

  it('all problems, not only the first', () => {
    const schema = {
      type: 'array',
      properties: { a: { type: 'strin' }, b: { pattern: '(' }, c: { $ref: 'x.json' } },
    };
    expect(
      fields(format({ name: '', description: 1, strict: false, schema, more: 1 }, { other: 1 })),
    ).toEqual([
      'response_format.other',
      `${within}.more`,
      `${within}.name`,
      `${within}.strict`,
      `${within}.description`,
      `${within}.schema#/type`,
      `${within}.schema#/properties/a/type`,
      `${within}.schema#/properties/b/pattern`,
      `${within}.schema#/properties/c/$ref`,
    ]);
  });

  it('without repeating the input', () => {
    const marker = 'MARKER';
    const texts = [
      format({
        name: `${marker} `,
        description: marker.repeat(500),
        schema: { type: marker, pattern: `(${marker}` },
      }),
      format({ schema: { type: 'object', $ref: `https://${marker}.invalid` } }),
      `{"type":"${marker}"}`,
      `{"${marker} ${marker}":1,"type":"text"}`,
      `"${marker}`,
    ];
    for (const text of texts) {
      expect(problems(text)).not.toEqual([]);
      expect(JSON.stringify(problems(text))).not.toContain(marker);
    }
  });
});

describe('on the OpenAI wire', () => {
  const wire = 'openai';

  it('accepts `strict: false`, `json_object`, and null for an absent field', () => {
    expect(problems(format({ strict: false, description: null }), { wire })).toEqual([]);
    expect(parseResponseFormat('{"type":"json_object"}', { wire })).toMatchObject({
      format: { schema: { type: 'object' } },
    });
  });

  it('wraps a root that is not an object', () => {
    expect(
      parseResponseFormat(schemaAt({ type: 'array', items: { type: 'number' } }), { wire }),
    ).toMatchObject({
      format: {
        isWrapped: true,
        schema: { type: 'object', properties: { value: { type: 'array' } }, required: ['value'] },
      },
    });
  });

  it('reads a format with its schema next to its type', () => {
    const text = JSON.stringify({ type: 'json_schema', name: 'a', schema: SCHEMA, strict: true });
    expect(parseResponseFormat(text, { wire: 'openai-flat', field: 'text.format' })).toMatchObject({
      format: { name: 'a', schema: SCHEMA },
    });
    const wrong = JSON.stringify({ type: 'json_schema', name: 'a b', schema: { $ref: 'x.json' }, other: 1 });
    expect(problems(wrong, { wire: 'openai-flat', field: 'text.format' }).map(({ field }) => field)).toEqual([
      'text.format.other',
      'text.format.name',
      'text.format.schema',
    ]);
  });
});

function variants(count: number): object[] {
  return Array.from({ length: count }, (_none, index) => ({
    type: 'object',
    properties: { kind: { const: `k${index}` } },
    required: ['kind'],
  }));
}

function nullables(count: number): z.ZodType {
  return z.object(
    Object.fromEntries(Array.from({ length: count }, (_none, index) => [`f${index}`, z.string().nullable()])),
  );
}

describe('the flat form', () => {
  it.each([
    { schema: SCHEMA, description: 'An answer' },
    { type: 'json_schema', name: 'a', schema: SCHEMA },
  ])('is answered with the right one: %j', (value) => {
    const [problem, ...others] = problems(JSON.stringify(value));
    expect(others).toEqual([]);
    expect(problem?.field).toBe('response_format');
    expect(problem?.detail).toMatch(
      /^Expected the schema in `json_schema`, got .*`schema`.* beside it\. Send \{"type": "json_schema", "json_schema": \{"name": "answer", "schema": \{…\}\}\}\./u,
    );
  });

  it('is the right one where the envelope is wrong', () => {
    const [problem, ...others] = problems(format(), { wire: 'openai-flat', field: 'text.format' });
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      field: 'text.format.json_schema',
      detail: expect.stringContaining('Send {"type": "json_schema", "name": "answer", "schema": {…}}.'),
    });
  });
});
