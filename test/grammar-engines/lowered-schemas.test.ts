/** Lowered schemas on xgrammar, the engine of vLLM and SGLang: it takes each, and lets right answers pass. */
import { describe, expect, it } from 'vitest';
import { SchemaError } from '../../packages/core/src/errors/schema-error.ts';
import { lowerJsonSchema } from '../../packages/core/src/schema/dialects/lower-json-schema.ts';
import { compileJsonSchema } from '../../packages/core/src/schema/engine/compile-json-schema.ts';
import { sampleValue } from '../../packages/core/src/schema/sample/sample-value.ts';
import { findEngine } from '../engine/start-engine.ts';
import { startLlamaServer } from './llama-server.ts';
import { readPublicSchemas } from './public-schemas.ts';
import { loadXGrammar } from './xgrammar.ts';

const compile = await loadXGrammar();

interface Lowered {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Lowers one of `step` schemas: each has all definitions of its file. Those that have no form are left out. */
async function lowerSome(step: number): Promise<readonly Lowered[]> {
  const some = (await readPublicSchemas()).filter((_, index) => index % step === 0);
  return some.flatMap(({ name, schema }) => {
    try {
      return [{ name, schema: lowerJsonSchema(schema, 'grammar').schema }];
    } catch (error) {
      if (SchemaError.isInstance(error)) return [];
      throw error;
    }
  });
}

it('xgrammar takes 200 public schemas, and lets a right answer of each pass', async () => {
  const problems: string[] = [];
  let right = 0;
  for (const { name, schema } of await lowerSome(5)) {
    const answer = sampleValue(schema);
    const judge = compileJsonSchema(schema, { maxBytes: 10_000_000, maxNodes: 1_000_000 });
    if (!judge.validate(answer).valid) continue;
    right += 1;
    const text = JSON.stringify(answer);
    try {
      using grammar = await compile(schema);
      // It writes a slash of an enumeration as `\\/`.
      const spellings = [text, text.replaceAll('/', String.raw`\/`)];
      const passed = await Promise.all(spellings.map((spelling) => grammar.accepts(spelling)));
      if (!passed.includes(true)) problems.push(`${name} holds out ${text}`);
    } catch (error) {
      problems.push(`${name}: ${String(error)}`);
    }
  }
  expect(problems).toEqual([]);
  expect(right).toBeGreaterThanOrEqual(200);
});

const files = findEngine(process.env);
if (files === undefined)
  process.stderr.write(
    'lowered schemas: no llama-server (set TRUECAST_LLAMA_SERVER), so only xgrammar judges them.\n',
  );

it.each(files === undefined ? [] : [files])(
  'llama-server takes public schemas without a warning, and warns of a pattern that it drops',
  async (found) => {
    const lowered = await lowerSome(12);
    await using engine = await startLlamaServer(found);
    expect(await engine.ask({ type: 'object', properties: { a: { type: 'string', pattern: '\\d' } } })).toBe(
      200,
    );
    expect(engine.warnings).toHaveLength(1);
    const statuses: number[] = [];
    for (const { schema } of lowered) statuses.push(await engine.ask(schema));
    expect(statuses).toEqual(lowered.map(() => 200));
    expect(lowered.length).toBeGreaterThanOrEqual(80);
    expect(engine.warnings).toHaveLength(1);
  },
);

describe('a lowered part', () => {
  it.each<[string, object, readonly unknown[], readonly unknown[]]>([
    [
      'a pattern',
      { type: 'string', pattern: String.raw`^\+?\d{3}-[\w.]+$` },
      ['+123-a.b', '123-_'],
      ['12-a', 'x'],
    ],
    ['a pattern with umlauts', { type: 'string', pattern: '^[a-zäöü]+$' }, ['grün', 'ü'], ['Ä', '']],
    ['a class with a dash', { type: 'string', pattern: '^[-_A-Za-z0-9]+$' }, ['a-b_C9'], ['a b']],
    ['a negated class', { type: 'string', pattern: '^[^:/]+$' }, ['héé 💡'], ['a:b']],
    ['a date', { type: 'string', format: 'date' }, ['2026-02-28'], ['2026-13-01', 'today']],
    ['an address', { type: 'string', format: 'email' }, ['a.b@example.com'], ['a b']],
    ['a length', { type: 'string', minLength: 2, maxLength: 4 }, ['ab', 'a é'], ['a', 'abcde']],
    ['a pattern with a length', { type: 'string', pattern: '^[a-z]+$', maxLength: 3 }, ['abc'], ['abcd']],
    ['few multiples', { type: 'integer', multipleOf: 5, minimum: 0, maximum: 20 }, [0, 15], [3, 25]],
    ['an integer with bounds', { type: 'integer', minimum: 3, maximum: 12 }, [3, 12], [2, 13]],
    [
      'a list',
      { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 2 },
      [[true]],
      [[], [true, true, true]],
    ],
    [
      'alternatives',
      { oneOf: [{ type: 'string', maxLength: 2 }, { type: 'integer' }] },
      ['ab', 7],
      ['abc', true],
    ],
  ])('lets right answers of %s pass and holds out wrong ones', async (_, part, right, wrong) => {
    const { schema } = lowerJsonSchema(
      { type: 'object', properties: { a: part }, required: ['a'], additionalProperties: false },
      'grammar',
    );
    using grammar = await compile(schema);
    const judged = async (values: readonly unknown[]): Promise<readonly boolean[]> =>
      Promise.all(values.map((a) => grammar.accepts(JSON.stringify({ a }))));
    expect(await judged(right)).toEqual(right.map(() => true));
    expect(await judged(wrong)).toEqual(wrong.map(() => false));
  });
});
