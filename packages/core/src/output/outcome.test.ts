import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '../errors/usage-error.ts';
import { compileJsonSchema } from '../schema/engine/compile-json-schema.ts';
import { jsonSchema } from '../schema/json-schema.ts';
import type { AnyOutputDefinition } from './definition/definition.ts';
import { assertAnswerable } from './definition/assert-definition.ts';
import { outcomesOf } from './definition/outcome.ts';
import { outputJsonSchema } from './definition/output-json-schema.ts';
import { safeExtractOutput } from './extract-output.ts';
import { createFinalizer } from './finalizer/finalizer.ts';
import { Output } from './output.ts';

const schema = z.object({ db: z.string(), port: z.number().optional() });
const output = Output.object({ schema, question: true, decline: true });

const signal = new AbortController().signal;
const checkContext = { worktreePath: '', exec: () => Promise.reject(new Error('unused')), signal };

/** The outcome of a text, or the first issue with its path. */
async function judged(value: unknown, definition: AnyOutputDefinition = output): Promise<unknown> {
  const found = await safeExtractOutput(JSON.stringify(value), definition);
  if (found.success) return found.output;
  const [issue] = found.error.issues;
  return issue === undefined ? found.error.code : `${issue.path.join('.')}: ${issue.message}`;
}

const ONE_KEY = ': Expected an object with exactly one of the keys "answer", "question", "declined"';

it.each([
  ['an answer', { answer: { db: 'pg' } }, { outcome: 'answered', answer: { db: 'pg' } }],
  ['an answer without its envelope', { db: 'pg' }, { outcome: 'answered', answer: { db: 'pg' } }],
  [
    'a question',
    { question: { text: 'Which?', options: ['a', 'b'] } },
    { outcome: 'question', question: { text: 'Which?', options: ['a', 'b'] } },
  ],
  ['a question as text', { question: 'Which?' }, { outcome: 'question', question: { text: 'Which?' } }],
  [
    'a question without options',
    { question: { text: 'Which?', options: [] } },
    { outcome: 'question', question: { text: 'Which?' } },
  ],
  ['a refusal', { declined: 'unsafe' }, { outcome: 'declined', reason: 'unsafe' }],
  [
    'null for the other keys',
    { answer: null, question: null, declined: 'unsafe' },
    { outcome: 'declined', reason: 'unsafe' },
  ],
  [
    'no empty question',
    { question: { text: ' ' } },
    'question.text: Expected the question, a non-empty string',
  ],
  ['no question without text', { question: {} }, 'question.text: Expected the question, a non-empty string'],
  [
    'no options of another type',
    { question: { text: 'Which?', options: [1] } },
    'question.options: Expected a list of strings',
  ],
  ['no empty reason', { declined: '' }, 'declined: Expected the reason, a non-empty string'],
  ['no invalid answer', { answer: { db: 1 } }, 'answer.db: Invalid input: expected string, received number'],
  ['no answer beside a question', { db: 'pg', question: { text: 'Sure?' } }, ONE_KEY],
  ['no answer beside a refusal', { answer: { db: 'pg' }, declined: 'unsafe' }, ONE_KEY],
  ['no other object', { other: 1 }, ONE_KEY],
])('reads %s', async (_title, value, expected) => {
  expect(await judged(value)).toEqual(expected);
});

it('allows only the outcomes that are asked for', async () => {
  const asking = Output.object({ schema, question: true });
  expect(await judged({ declined: 'unsafe' }, asking)).toBe(
    ': Expected an object with exactly one of the keys "answer", "question"',
  );
  const declining = Output.object({ schema, decline: true });
  expect(await judged({ question: 'Which?' }, declining)).toBe(
    ': Expected an object with exactly one of the keys "answer", "declined"',
  );
  expect(outcomesOf(asking)).toMatchObject({ asks: true, declines: false });
  expect(outcomesOf(declining)).toMatchObject({ asks: false, declines: true });
  expect(outcomesOf(Output.object({ schema }))).toBeUndefined();
});

it('takes the form of a question from its schema', async () => {
  const asking = Output.object({ schema, question: z.object({ choose: z.enum(['a', 'b']) }) });
  expect(await judged({ question: { choose: 'a' } }, asking)).toEqual({
    outcome: 'question',
    question: { choose: 'a' },
  });
  expect(await judged({ question: { choose: 'c' } }, asking)).toMatch(/^question\.choose: /u);
});

it('reads a schema with a key `answer` of its own in both forms, the envelope first', async () => {
  const own = Output.object({ schema: z.object({ answer: z.string() }), question: true });
  const answered = { outcome: 'answered', answer: { answer: 'yes' } };
  expect(await judged({ answer: { answer: 'yes' } }, own)).toEqual(answered);
  expect(await judged({ answer: 'yes' }, own)).toEqual(answered);
});

it('loses no envelope to a schema that accepts every object', async () => {
  const loose = Output.object({ schema: z.object({ note: z.string().optional() }), question: true });
  expect(await judged({ question: { text: 'Which?' }, note: 'x' }, loose)).toMatch(
    /exactly one of the keys/u,
  );
  expect(await judged({ answer: { note: 1 }, more: 1 }, loose)).toMatch(/exactly one of the keys/u);
});

it('reads null as an answer where the schema allows it', async () => {
  const nullable = Output.object({ schema: z.string().nullable(), question: true });
  expect(await judged({ answer: null }, nullable)).toEqual({ outcome: 'answered', answer: null });
});

it('asks beside lists and choices too', async () => {
  const list = Output.array({ element: v.object({ id: v.number() }), question: true });
  expect(await judged({ answer: [{ id: 1 }] }, list)).toEqual({ outcome: 'answered', answer: [{ id: 1 }] });
  expect(await judged([{ id: 'x' }], list)).toMatch(/exactly one of the keys/u);
  expect(await judged({ answer: [{ id: 'x' }] }, list)).toMatch(/^answer\.0\.id: /u);
  const choice = Output.choice({ options: ['merge', 'reject'], decline: true });
  expect(await judged({ answer: 'merge' }, choice)).toEqual({ outcome: 'answered', answer: 'merge' });
  expect(await judged('merge', choice)).toEqual({ outcome: 'answered', answer: 'merge' });
  expect(await judged({ declined: 'no' }, choice)).toEqual({ outcome: 'declined', reason: 'no' });
});

it.each([
  [
    { schema, question: 'yes' },
    'Expected `question` to be `true` or a Standard Schema of a question, got `"yes"`',
  ],
  [{ schema, question: false }, 'Expected `question` to be `true` or a Standard Schema'],
  [{ schema, decline: 1 }, 'Expected `decline` to be `true`, got `1` (number)'],
])('refuses %o', (options, message) => {
  expect(() => Reflect.apply(Output.object, undefined, [options]) as unknown).toThrow(message);
});

it.each(['string', 'json'] as const)('refuses a question of `Output.%s`', (helper) => {
  const define = (): unknown => Reflect.apply(Output[helper], undefined, [{ tag: 'r', question: true }]);
  expect(define).toThrow(UsageError);
});

it('checks an answer, and nothing else', async () => {
  const seen: string[] = [];
  const checked = Output.object({
    schema,
    question: true,
    check: ({ db }) => {
      seen.push(db);
      return 'never';
    },
  });
  expect(await checked.check?.({ outcome: 'question', question: { text: 'Which?' } }, checkContext)).toBe(
    undefined,
  );
  expect(await checked.check?.({ outcome: 'answered', answer: { db: 'pg' } }, checkContext)).toBe('never');
  expect(seen).toEqual(['pg']);
});

it('keeps its outcomes in a definition that is made from it', async () => {
  const other = Output.object({ ...output, tag: 'r' });
  expect(other.tag).toBe('r');
  expect(outcomesOf(other)).toBe(outcomesOf(output));
  const found = await safeExtractOutput('<r>{"question":"Which?"}</r>', other);
  expect(found).toMatchObject({ success: true, output: { outcome: 'question' } });
});

it('refuses an answer that is impossible, although a question would fit', () => {
  const impossible = Output.object({ schema: z.object({ a: z.never() }), question: true });
  expect(() => assertAnswerable(impossible)).toThrow('Expected a schema that some JSON fits');
});

it('shows the three forms in its instructions', () => {
  const told = Output.instructions(Output.object({ ...output, tag: 'r' }));
  expect(told).toMatchInlineSnapshot(`
    "End with your answer between <r> and </r>: JSON only, without comments or trailing commas, of this type, with no other keys:
    { "answer": { "db": string, "port"?: number } } /* The work is done: the answer */ | {
     "question": {
      "text": string, // at least 1 characters; The question, for a person
      "options"?: string[], // Answers to choose from, if there are few
     },
    } /* Only a person can decide how to continue: the question. Nothing is guessed */ | {
     "declined": string, // at least 1 characters
    } /* The task cannot or must not be done: the reason */
    The shape is <r>{"answer":{"db":"…","port":…}}</r>"
  `);
});

it('is taken from a tool call', async () => {
  for (const [value, outcome] of [
    [{ answer: { db: 'pg' } }, 'answered'],
    [{ db: 'pg' }, 'answered'],
    [{ question: { text: 'Which?' } }, 'question'],
    [{ declined: 'unsafe' }, 'declined'],
  ] as const) {
    const finalizer = createFinalizer(output);
    await finalizer.submit(JSON.stringify({ output: value }));
    expect(await finalizer.settle()).toMatchObject({ success: true, output: { outcome } });
  }
});

describe('the composed JSON Schema', () => {
  const accepts = (definition: AnyOutputDefinition): ((value: unknown) => boolean) => {
    const composed = outputJsonSchema(definition);
    const validator = compileJsonSchema(composed ?? false);
    return (value) => validator.validate(value).valid;
  };

  it('has one closed object for each outcome', () => {
    const takes = accepts(output);
    expect(takes({ answer: { db: 'pg' } })).toBe(true);
    expect(takes({ question: { text: 'Which?' } })).toBe(true);
    expect(takes({ declined: 'unsafe' })).toBe(true);
    expect(takes({ answer: { db: 'pg' }, declined: 'unsafe' })).toBe(false);
    expect(takes({ db: 'pg' })).toBe(false);
  });

  it('keeps a recursive schema recursive in itself', () => {
    const node = jsonSchema({
      type: 'object',
      properties: { name: { type: 'string' }, kids: { type: 'array', items: { $ref: '#' } } },
      required: ['name'],
      additionalProperties: false,
    });
    const takes = accepts(Output.object({ schema: node, question: true }));
    expect(takes({ answer: { name: 'a', kids: [{ name: 'b', kids: [] }] } })).toBe(true);
    expect(takes({ answer: { name: 'a', kids: [{ answer: { name: 'b' } }] } })).toBe(false);
    expect(takes({ answer: { name: 'a', kids: [{ question: { text: 'Which?' } }] } })).toBe(false);
  });

  it('keeps definitions of one name apart', () => {
    const withPart = (type: string): ReturnType<typeof jsonSchema.unchecked> =>
      jsonSchema.unchecked({
        type: 'object',
        properties: { part: { $ref: '#/$defs/a~1b' }, other: { $ref: '#/$defs/c/properties/d' } },
        required: ['part'],
        $defs: { 'a/b': { type }, c: { properties: { d: { $ref: '#/$defs/a~1b' } } } },
      });
    const definition = Output.object({ schema: withPart('string'), question: withPart('number') });
    const takes = accepts(definition);
    expect(takes({ answer: { part: 'x', other: 'y' } })).toBe(true);
    expect(takes({ answer: { part: 1 } })).toBe(false);
    expect(takes({ question: { part: 1, other: 2 } })).toBe(true);
    expect(takes({ question: { part: 'x' } })).toBe(false);
    expect(takes({ question: { part: 1, other: 'y' } })).toBe(false);
    expect(Object.keys(Object(outputJsonSchema(definition)).$defs as object)).toEqual([
      'a/b',
      'c',
      'question_a/b',
      'question_c',
    ]);
  });

  it('refuses schemas of two drafts', () => {
    const of = (draft: string): ReturnType<typeof jsonSchema.unchecked> =>
      jsonSchema.unchecked({ $schema: `http://json-schema.org/${draft}/schema#`, type: 'object' });
    const definition = Output.object({ schema: of('draft-07'), question: of('draft-06') });
    expect(() => outputJsonSchema(definition)).toThrow('Expected schemas of one draft');
  });
});

it('refuses a question that is impossible, although an answer would fit', () => {
  const never = Output.object({ schema, question: z.never() });
  expect(() => assertAnswerable(never)).toThrow(UsageError);
  expect(() => assertAnswerable(Output.object({ schema, question: true }))).not.toThrow();
});

it.each([
  ['questions', { question: true }, ['answer', 'question']],
  ['a refusal', { decline: true }, ['answer', 'declined']],
] as const)('asks for %s alone if only they are allowed', (_what, options, keys) => {
  const { anyOf } = outputJsonSchema(Output.object({ schema, ...options })) as {
    readonly anyOf: readonly { required: string[] }[];
  };
  expect(anyOf.flatMap(({ required }) => required)).toEqual(keys);
});
