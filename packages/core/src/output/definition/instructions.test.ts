/** Checks the texts with which a model learns how to answer. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { AnyOutputDefinition } from './definition.ts';
import { instructionsFor } from './instructions.ts';
import { Output } from '../output.ts';

const city = Output.object({ schema: z.object({ city: z.string(), 'two words': z.number().optional() }) });

it.each<[string, AnyOutputDefinition, string]>([
  [
    'a text',
    Output.string({ tag: 'r' }),
    'End with your answer between <r> and </r>, as plain text.\nFor example (the shape, not the values):\n<r>Your text.</r>',
  ],
  [
    'a choice',
    Output.choice({ options: ['yes', 'no'] }),
    'Answer: one of "yes", "no", and nothing else.\nFor example (the shape, not the values):\n…',
  ],
  [
    'any JSON',
    Output.json(),
    'Answer: JSON only, without comments or trailing commas.\nThe shape is {"key":"…"}',
  ],
  [
    'a closed object',
    Output.object({ schema: z.strictObject({ city: z.string() }) }),
    'Answer: JSON only, without comments or trailing commas, of this type, with no other keys:\n{ "city": string }\nThe shape is {"city":"…"}',
  ],
  [
    'an object',
    city,
    'Answer: JSON only, without comments or trailing commas, of this type:\n{ "city": string, "two words"?: number }\nThe shape is {"city":"…","two words":…}',
  ],
])('asks for %s', (_name, definition, text) => {
  expect(instructionsFor(definition)).toBe(text);
});

it('shows no shape after a demonstration, but the keys in the last line', () => {
  expect(instructionsFor(city, { isDemonstrated: true })).toBe(
    'Answer: JSON only, of this type:\n{ "city": string, "two words"?: number }\nKeys: "city", "two words"',
  );
  const list = Output.array({ element: z.number() });
  expect(instructionsFor(list, { isDemonstrated: true })).toBe('Answer: JSON only, of this type:\nnumber[]');
  expect(instructionsFor(Output.json(), { isDemonstrated: true })).toBe('Answer: JSON only.');
});
