/** Tests of outcomes on the wire: what the client sends for a definition, and what it does not. */
import { toAnswerFormat } from '@truecast/client/internal/answer/answer-format';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { Output } from '@truecast/core/internal/output/output';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { otherOutcomeIn, otherOutcomesOf } from './other-outcome.ts';

const schema = z.object({ cause: z.string() });
const formatOf = (output: AnyOutputDefinition) => toAnswerFormat({ output }).format;

it.each([
  ['both', Output.object({ schema, question: true, decline: true }), ['question', 'declined']],
  ['questions', Output.array({ element: z.string(), question: schema }), ['question']],
  ['refusals', Output.choice({ options: ['a', 'b'], decline: true }), ['declined']],
  ['answers only', Output.object({ schema }), []],
  // An answer of the user's own form.
  ['own words', Output.object({ schema: z.object({ declined: z.string() }) }), []],
  [
    'own alternatives',
    Output.object({
      schema: z.union([z.strictObject({ a: z.string() }), z.strictObject({ declined: z.string() })]),
    }),
    [],
  ],
])('a schema of %s allows these outcomes', (_name, output, kinds) => {
  expect(otherOutcomesOf(formatOf(output))).toEqual(kinds);
});

it('is found in the envelope only', () => {
  const format = formatOf(Output.object({ schema, question: true, decline: true }));
  expect(otherOutcomeIn(format, '{"value":{"declined":"No."}}')).toEqual({ kind: 'declined', value: 'No.' });
  expect(otherOutcomeIn(format, '{"declined":"No."}')).toEqual({ kind: 'declined', value: 'No.' });
  expect(otherOutcomeIn(format, '{"value":{"answer":{"cause":"x"}}}')).toBeUndefined();
  expect(otherOutcomeIn(format, '{"value":{"cause":"x","declined":"No."}}')).toBeUndefined();
  expect(otherOutcomeIn(format, undefined)).toBeUndefined();
  expect(otherOutcomeIn({ type: 'text' }, '{"declined":"No."}')).toBeUndefined();
});
