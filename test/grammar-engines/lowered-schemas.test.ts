/** Lowered schemas on xgrammar, the engine of vLLM and SGLang: it takes each, and lets right answers pass. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { SchemaError } from '../../packages/core/src/errors/schema-error.ts';
import {
  lowerJsonSchema,
  type LoweredJsonSchema,
} from '../../packages/core/src/schema/dialects/lower-json-schema.ts';
import { compileJsonSchema } from '../../packages/core/src/schema/engine/compile-json-schema.ts';
import { sampleValue } from '../../packages/core/src/schema/sample/sample-value.ts';
import { findEngine } from '../engine/start-engine.ts';
import { matrixRuns } from '../matrix.ts';
import { startLlamaServer } from './llama-server.ts';
import { readPublicSchemas, type PublicSchema } from './public-schemas.ts';
import { changedValues } from './wrong-values.ts';
import { loadXGrammar, type Grammar } from './xgrammar.ts';

const compile = await loadXGrammar();
const TIMEOUT = { timeout: 900_000 };
/** Of all public schemas: each second, and in the short form each sixth. */
const TAKEN = matrixRuns(6, 2);
const LEAST_TAKEN = 1_000 / TAKEN;

interface Lowered extends LoweredJsonSchema {
  readonly name: string;
  readonly own: Readonly<Record<string, unknown>>;
}

const all = await readPublicSchemas();
/** By the place in `all`: the tests take some of the same schemas. */
const known = new Map<number, readonly Lowered[]>();

/** Lowers one of `step` schemas: each has all definitions of its file. Those that have no form are left out. */
function lowerSome(step: number): readonly Lowered[] {
  return all.flatMap((schema, index) => {
    if (index % step !== 0) return [];
    const lowered = known.get(index) ?? lower(schema);
    known.set(index, lowered);
    return lowered;
  });
}

/** Two tests judge texts by some of the same grammars. */
const grammars = new Map<Lowered, Grammar>();
afterAll(() => {
  for (const grammar of grammars.values()) grammar[Symbol.dispose]();
});

async function grammarOf(lowered: Lowered): Promise<Grammar> {
  const grammar = grammars.get(lowered) ?? (await compile(lowered.schema));
  grammars.set(lowered, grammar);
  return grammar;
}

function lower({ name, schema: own }: PublicSchema): readonly Lowered[] {
  try {
    return [{ name, own, ...lowerJsonSchema(own, 'grammar') }];
  } catch (error) {
    if (SchemaError.isInstance(error)) return [];
    throw error;
  }
}

/** Returns true if the engine lets the text pass. It writes a slash of an enumeration as `\\/`. */
async function passes(grammar: Grammar, value: unknown): Promise<boolean> {
  const text = JSON.stringify(value);
  return (await grammar.accepts(text)) || (await grammar.accepts(text.replaceAll('/', String.raw`\/`)));
}

it('xgrammar takes public schemas, and lets a right answer of each pass', TIMEOUT, async () => {
  const problems: string[] = [];
  let [taken, right] = [0, 0];
  for (const lowered of lowerSome(TAKEN)) {
    const { name, schema } = lowered;
    const answer = sampleValue(schema);
    try {
      const grammar = await grammarOf(lowered);
      taken += 1;
      const judge = compileJsonSchema(schema, { maxBytes: 10_000_000, maxNodes: 1_000_000 });
      if (!judge.validate(answer).valid) continue;
      right += 1;
      if (!(await passes(grammar, answer))) problems.push(`${name} holds out ${JSON.stringify(answer)}`);
    } catch (error) {
      problems.push(`${name}: ${String(error)}`);
    }
  }
  expect(problems).toEqual([]);
  expect(taken).toBeGreaterThanOrEqual(LEAST_TAKEN);
  expect(right).toBeGreaterThanOrEqual(LEAST_TAKEN * 0.4);
});

const JUDGED = matrixRuns(50, 200);
/** What xgrammar does not hold: bounds of fractions, and `not`, which is never sent. */
const NOT_HELD = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'not'];

it('xgrammar holds out wrong answers, but of numbers and of `not`', TIMEOUT, async () => {
  const problems: string[] = [];
  let [schemas, wrong, held] = [0, 0, 0];
  for (const lowered of lowerSome(matrixRuns(18, 5))) {
    const { name, own, schema, inverse } = lowered;
    const brokenBy = ajvJudge(own);
    const answer = sampleValue(schema);
    if (brokenBy === undefined || brokenBy(backOf(inverse, answer)).length > 0) continue;
    schemas += 1;
    const grammar = await grammarOf(lowered);
    for (const changed of changedValues(answer)) {
      const broken = brokenBy(backOf(inverse, changed));
      if (broken.length === 0) continue;
      wrong += 1;
      if (!(await passes(grammar, changed))) held += 1;
      else if (!broken.some((keyword) => NOT_HELD.includes(keyword))) {
        problems.push(`${name}, ${broken.join()}: ${JSON.stringify(changed)}`);
      }
    }
  }
  expect(problems).toEqual([]);
  expect(schemas).toBeGreaterThanOrEqual(JUDGED);
  expect(wrong).toBeGreaterThanOrEqual(JUDGED * 5);
  expect(held / wrong).toBeGreaterThanOrEqual(0.99);
});

/** The answer in the form of the schema as it was written. What has no such form stays as it is. */
function backOf(inverse: Lowered['inverse'], value: unknown): unknown {
  try {
    return inverse(value);
  } catch (error) {
    if (SchemaError.isInstance(error)) return value;
    throw error;
  }
}

/** An independent judge by the schema as it was written. Returns the keywords that an answer breaks. */
function ajvJudge(own: Lowered['own']): ((value: unknown) => readonly string[]) | undefined {
  const { $schema: _schema, $id: _id, id: _oldId, ...rest } = own;
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    allErrors: true,
    validateFormats: false,
    // A judge is used some twenty times: its preparation would take more than its work.
    validateSchema: false,
    code: { optimize: false },
  });
  try {
    const judge = ajv.compile(rest);
    return (value) => (judge(value) ? [] : (judge.errors ?? []).map(({ keyword }) => keyword));
  } catch {
    // Three of them have references that Ajv does not follow.
    return undefined;
  }
}

const files = findEngine(process.env);
if (files === undefined) {
  process.stderr.write(
    'lowered schemas: no llama-server (set TRUECAST_LLAMA_SERVER), so only xgrammar judges them.\n',
  );
}

it.each(files === undefined ? [] : [files])(
  'llama-server takes public schemas without a warning, and warns of a pattern that it drops',
  TIMEOUT,
  async (found) => {
    const lowered = lowerSome(TAKEN);
    await using engine = await startLlamaServer(found);
    expect(await engine.ask({ type: 'object', properties: { a: { type: 'string', pattern: '\\d' } } })).toBe(
      200,
    );
    expect(engine.warnings).toHaveLength(1);
    const statuses = await Promise.all(lowered.map(({ schema }) => engine.ask(schema)));
    expect(statuses).toEqual(lowered.map(() => 200));
    expect(lowered.length).toBeGreaterThanOrEqual(LEAST_TAKEN);
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
