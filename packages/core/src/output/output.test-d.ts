import { describe, expect, expectTypeOf, it } from 'vitest';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import type { JsonValue } from '../kit/json-value.ts';
import type { DeepPartial, AnyOutputDefinition, InferOutput } from './definition/definition.ts';
import type { Outcome, OutcomeQuestion } from './definition/outcome.ts';
import { extractOutput, safeExtractOutput } from './extract-output.ts';
import type { OutputKindName } from './definition/output-kinds.ts';
import { Output, type OutputHelpers } from './output.ts';
import { createTagScanner } from './tag-scanner.ts';
import { jsonSchema } from '../schema/json-schema.ts';
import { run } from 'truecast/internal/run/run';
import type { RunOptions, RunResult } from 'truecast/internal/run/options/run-options';

declare const base: Omit<RunOptions, 'output' | 'onPartial'>;

const object = Output.object({
  tag: 'r',
  schema: z.object({
    a: z.number(),
    b: z.string().optional(),
    c: z.string().transform((text) => text.length),
  }),
});
const string = Output.string({ tag: 'r' });
const array = Output.array({ element: v.object({ id: v.number(), name: v.optional(v.string()) }) });
const choice = Output.choice({ options: ['merge', 'reject'] });
const json = Output.json({});

interface Expected {
  a: number;
  b?: string | undefined;
  c: number;
}

describe('Output', () => {
  it('infers the output of the schema, including optional keys and transforms', () => {
    expectTypeOf<InferOutput<typeof object>>().toEqualTypeOf<Expected>();
    expectTypeOf<InferOutput<typeof string>>().toEqualTypeOf<string>();
    expectTypeOf<InferOutput<typeof array>>().toEqualTypeOf<{ id: number; name?: string | undefined }[]>();
    expectTypeOf<InferOutput<typeof choice>>().toEqualTypeOf<'merge' | 'reject'>();
    expectTypeOf<InferOutput<typeof json>>().toEqualTypeOf<JsonValue>();
  });

  it('infers the outcomes that a definition allows, and no other', () => {
    const schema = z.object({ db: z.string() });
    type Answered = Extract<Outcome<{ db: string }>, { outcome: 'answered' }>;
    type Asked<TQuestion> = Extract<Outcome<unknown, TQuestion>, { outcome: 'question' }>;
    type Declined = Extract<Outcome<unknown>, { outcome: 'declined' }>;
    const asking = Output.object({ schema, question: true });
    expectTypeOf<InferOutput<typeof asking>>().toEqualTypeOf<Answered | Asked<OutcomeQuestion>>();
    const declining = Output.object({ schema, decline: true });
    expectTypeOf<InferOutput<typeof declining>>().toEqualTypeOf<Answered | Declined>();
    const both = Output.object({ schema, question: true, decline: true, check: ({ db }) => db });
    expectTypeOf<InferOutput<typeof both>>().toEqualTypeOf<Outcome<{ db: string }>>();
    const own = Output.object({ schema, question: z.object({ id: z.number() }) });
    expectTypeOf<InferOutput<typeof own>>().toEqualTypeOf<Answered | Asked<{ id: number }>>();
    const list = Output.array({ element: schema, question: true });
    expectTypeOf<Extract<InferOutput<typeof list>, { outcome: 'answered' }>['answer']>().toEqualTypeOf<
      { db: string }[]
    >();
    const verdict = Output.choice({ options: ['merge', 'reject'], decline: true });
    expectTypeOf<InferOutput<typeof verdict>>().toEqualTypeOf<
      { readonly outcome: 'answered'; readonly answer: 'merge' | 'reject' } | Declined
    >();
    // @ts-expect-error -- A string has no schema that tells a question from an answer.
    expect(() => Output.string({ tag: 'r', question: true })).toThrow();
  });

  it('lets only a run that can ask send an answer', async () => {
    const schema = z.object({ db: z.string() });
    const asked = await run({ ...base, output: Output.object({ schema, question: true, decline: true }) });
    const { output: outcome } = asked;
    if (outcome.outcome === 'answered') expectTypeOf(outcome.answer).toEqualTypeOf<{ db: string }>();
    if (outcome.outcome === 'question') expectTypeOf(outcome.question).toEqualTypeOf<OutcomeQuestion>();
    if (outcome.outcome === 'declined') expectTypeOf(outcome.reason).toEqualTypeOf<string>();
    const next = await asked.answer?.('pg');
    expectTypeOf(next?.output).toEqualTypeOf<Outcome<{ db: string }> | undefined>();
    expectTypeOf(await run({ ...base, output: Output.object({ schema }) })).not.toHaveProperty('answer');
    expectTypeOf(await run({ ...base, output: Output.object({ schema, decline: true }) })).not.toHaveProperty(
      'answer',
    );
    expectTypeOf(await run(base)).not.toHaveProperty('answer');
  });

  it('keeps the type of an answer in a function that takes any schema', async () => {
    async function read<TAnswer>(schema: z.ZodType<TAnswer>): Promise<TAnswer> {
      return extractOutput('', Output.object({ tag: 'r', schema }));
    }
    expectTypeOf(await read(z.object({ line: z.number() }))).toEqualTypeOf<{ line: number }>();
    expectTypeOf(await read(z.string().transform(Number))).toEqualTypeOf<number>();
  });

  it('infers the options of a choice from a constant', () => {
    const options = ['low', 'high'] as const;
    expectTypeOf<InferOutput<ReturnType<typeof Output.choice<(typeof options)[number]>>>>().toEqualTypeOf<
      'low' | 'high'
    >();
    const made = Output.choice({ tag: 'v', options });
    expectTypeOf<InferOutput<typeof made>>().toEqualTypeOf<'low' | 'high'>();
  });

  it('lets an overload accept every definition and return its type', async () => {
    expectTypeOf((await run({ ...base, output: object })).output).toEqualTypeOf<Expected>();
    expectTypeOf((await run({ ...base, output: string })).output).toEqualTypeOf<string>();
    expectTypeOf((await run({ ...base, output: array })).output).toEqualTypeOf<
      { id: number; name?: string | undefined }[]
    >();
    expectTypeOf((await run({ ...base, output: choice })).output).toEqualTypeOf<'merge' | 'reject'>();
    expectTypeOf((await run({ ...base, output: json })).output).toEqualTypeOf<JsonValue>();
    expectTypeOf(await run(base)).toEqualTypeOf<RunResult>();
    expectTypeOf(await run(base)).not.toHaveProperty('output');
  });

  it('types the partial values of a run, and has no answer without an output', async () => {
    void run({
      ...base,
      output: array,
      onPartial(value) {
        expectTypeOf(value).toEqualTypeOf<{ id?: number; name?: string | undefined }[]>();
      },
    });
    // @ts-expect-error -- without an output there is no answer
    (await run(base)).output satisfies unknown;
    // @ts-expect-error -- a schema is no output
    void run({ ...base, output: z.object({}) });
  });

  it('infers the same of each library', () => {
    const zod = Output.object({ schema: z.object({ a: z.number() }) });
    const valibot = Output.object({ schema: v.object({ a: v.number() }) });
    const arktype = Output.object({ schema: type({ a: 'number' }) });
    const constant = Output.object({
      schema: jsonSchema({
        type: 'object',
        properties: { a: { type: 'number' } },
        required: ['a'],
        additionalProperties: false,
      }),
    });
    expectTypeOf<InferOutput<typeof zod>>().toEqualTypeOf<{ a: number }>();
    expectTypeOf<InferOutput<typeof valibot>>().toEqualTypeOf<{ a: number }>();
    expectTypeOf<InferOutput<typeof arktype>>().toEqualTypeOf<{ a: number }>();
    expectTypeOf<InferOutput<typeof constant>>().toEqualTypeOf<{ a: number }>();
  });

  it('is one type for all of them', () => {
    expectTypeOf([object, string, array, choice, json]).toExtend<AnyOutputDefinition[]>();
  });

  it('passes the output of the schema to the check', () => {
    Output.object({
      schema: z.object({ a: z.number() }),
      check(value) {
        expectTypeOf(value).toEqualTypeOf<{ a: number }>();
        return undefined;
      },
    });
  });

  it('rejects text without a tag, a plain JSON Schema, and an unknown mode', () => {
    // @ts-expect-error -- only a tag can carry text
    Output.string({});
    // @ts-expect-error -- a JSON Schema must be wrapped
    Output.object({ schema: { type: 'object' } });
    // @ts-expect-error -- there is no such mode
    Output.json({ mode: 'telepathy' });
  });
});

describe('extraction', () => {
  it('returns the type of the definition', async () => {
    expectTypeOf(await extractOutput('', object)).toEqualTypeOf<Expected>();
    const result = await safeExtractOutput('', choice);
    if (result.success) expectTypeOf(result.output).toEqualTypeOf<'merge' | 'reject'>();
  });

  it('returns a deeply partial preview', () => {
    expectTypeOf(createTagScanner(object).partial().value).toEqualTypeOf<DeepPartial<Expected> | undefined>();
    expectTypeOf(createTagScanner(array).snapshot().value).toEqualTypeOf<
      { id?: number; name?: string | undefined }[] | undefined
    >();
  });
});

it('has a helper for each kind', () => {
  expectTypeOf<keyof OutputHelpers>().toEqualTypeOf<OutputKindName | 'instructions'>();
});
