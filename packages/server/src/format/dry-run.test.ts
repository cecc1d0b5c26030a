import { expect, it } from 'vitest';
import { DIALECT_NAMES } from '../contract/wire-codes.ts';
import { COSTLY } from '../../../../test/schema-suite/costly-schemas.ts';
import { dryRunFormat } from './dry-run.ts';
import { parseResponseFormat } from './parse-response-format.ts';
import { MAX_SCHEMA_BYTES } from './schema-problems.ts';
import { readFormatPart, toFormatPart } from './stored-format.ts';

const text = (schema: object): string =>
  JSON.stringify({ type: 'json_schema', json_schema: { name: 'n', schema } });

it('reports the losses of each provider, with pointers', async () => {
  const schema = {
    type: 'object',
    properties: { 'a/b': { type: 'string', minLength: 2 } },
    required: ['a/b'],
  };
  const run = await dryRunFormat(text(schema));
  expect(run).toMatchObject({ is_valid: true, problems: [] });
  expect(run.dialects.map(({ dialect }) => dialect)).toEqual(Object.values(DIALECT_NAMES));
  expect(run.dialects.find(({ dialect }) => dialect === 'openai')?.losses).toContainEqual(
    expect.objectContaining({ pointer: '/properties/a~1b/minLength', keyword: 'minLength' }),
  );
});

it('reports the losses of servers of unknown make', async () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'string' }, uniqueItems: true } },
    required: ['a'],
  };
  const { dialects } = await dryRunFormat(text(schema));
  expect(dialects.find(({ dialect }) => dialect === 'grammar')).toMatchObject({
    is_taken: true,
    losses: [{ pointer: '/properties/a/uniqueItems', keyword: 'uniqueItems' }],
  });
});

it('reports which provider does not support the schema', async () => {
  // Deeper than its schema mode takes.
  let schema: object = { type: 'string' };
  for (let depth = 0; depth < 12; depth += 1) {
    schema = { type: 'object', properties: { a: schema }, required: ['a'] };
  }
  const { is_valid, dialects } = await dryRunFormat(text(schema));
  expect(is_valid).toBe(true);
  expect(dialects.filter(({ is_taken }) => !is_taken).map(({ dialect }) => dialect)).toContain('openai');
});

it.each([
  { type: 'string', minLength: 2, maxLength: 1 },
  { type: 'integer', minimum: 5, maximum: 1 },
  { enum: ['x'], const: 'y' },
])('reports the part because of which no value fits: %j', async (a) => {
  const schema = { type: 'object', properties: { a }, required: ['a'] };
  expect(await dryRunFormat(text(schema))).toMatchObject({
    is_valid: false,
    problems: [{ pointer: '/properties/a', detail: expect.stringContaining('No JSON value fits') as string }],
    dialects: [],
  });
});

it('reports all problems, and then lowers nothing', async () => {
  expect(await dryRunFormat(text({ type: 'array', items: { type: 'x' } }))).toMatchObject({
    is_valid: false,
    problems: [{ pointer: '/type' }, { pointer: '/items/type' }],
    dialects: [],
  });
});

it('reports nothing for an ordinary turn', async () => {
  expect(await dryRunFormat(undefined)).toEqual({ is_valid: true, problems: [], dialects: [] });
});

it.each(COSTLY.filter(({ schema }) => 'type' in schema && JSON.stringify(schema).length <= MAX_SCHEMA_BYTES))(
  'reports on every dialect, in turns of the event loop: $name',
  async ({ schema }) => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const { is_valid, dialects } = await dryRunFormat(text(schema));
    clearInterval(timer);
    expect([is_valid, dialects.length]).toEqual([true, Object.keys(DIALECT_NAMES).length]);
    expect(turns).toBeGreaterThan(0);
  },
);

it('stores a format that is read back with the same schema', () => {
  const schema = { type: 'object', properties: { b: { type: 'null' }, a: {} }, required: ['b'] };
  const parsed = parseResponseFormat(text(schema));
  if (parsed.type !== 'json_schema') throw new TypeError('not a format');
  const part = toFormatPart(parsed.format, { requestId: 'r', limits: { text_only: 5, max_repairs: 5 } });
  const stored = readFormatPart(part);
  expect(JSON.stringify(stored?.schema)).toBe(JSON.stringify(schema));
  expect(stored?.validator.validate({ b: null }).valid).toBe(true);
  expect(stored?.validator.validate({ b: 1 }).valid).toBe(false);
});

it.each(['{', '{"type":7}', '7', '{"$ref":"http://x.invalid"}'])(
  'returns nothing for a stored schema that no longer compiles: %s',
  (schema_text) => {
    const limits = { text_only: 5, max_repairs: 5 };
    expect(
      readFormatPart({ type: 'response_format', request_id: 'r', name: 'n', schema_text, limits }),
    ).toBeUndefined();
  },
);
