/**
 * Size of told types, in tokens as GPT-2's tokenizer splits them before it joins letters: words, numbers,
 * groups of signs, and white space. Long words count more, one for each begun four letters.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { expect, it } from 'vitest';
import { FORM_CASES } from '../../../../../test/engine/form-cases.ts';
import { readPublicSchemas } from '../../../../../test/grammar-engines/public-schemas.ts';
import { matrixRuns } from '../../../../../test/matrix.ts';
import { instructionsFor } from '../../output/definition/instructions.ts';
import { sampleOf } from '../../output/definition/prompt-sample.ts';
import { Output } from '../../output/output.ts';
import { toJsonSchema } from '../to-json-schema.ts';

const PIECE = /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+/gu;

function tokens(text: string): number {
  return (text.match(PIECE) ?? []).reduce((sum, piece) => sum + Math.ceil(piece.length / 4), 0);
}

/** The instructions of versions before: the JSON Schema, and a sample with places for texts. */
function asJsonSchema(schema: Readonly<Record<string, unknown>>): string {
  const { $schema: _draft, ...rest } = schema;
  return `Answer: JSON only, without comments or trailing commas, that fits this JSON Schema:\n${JSON.stringify(rest)}\nFor example (the shape, not the values):\n${sampleOf(schema).text}`;
}

/** Not compiled: some public schemas refer to other documents. */
function told(schema: Readonly<Record<string, unknown>>): string {
  const validate = (value: unknown): { readonly value: unknown } => ({ value });
  const converter = { input: () => ({ ...schema }), output: () => ({ ...schema }) };
  return instructionsFor(
    Output.object({
      schema: {
        '~standard': { version: 1, vendor: 'test', validate, jsonSchema: converter },
      } as StandardSchemaV1,
    }),
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

interface Sizes {
  readonly before: number;
  readonly now: number;
}

function sizesOf(schema: Readonly<Record<string, unknown>>): Sizes {
  return { before: tokens(asJsonSchema(schema)), now: tokens(told(schema)) };
}

function share(sizes: readonly Sizes[]): number {
  return sum(sizes.map(({ now }) => now)) / sum(sizes.map(({ before }) => before));
}

it('the forms of the engine proof are told in at most 60 % of the tokens of their JSON Schema', () => {
  const schemas = FORM_CASES.map(({ schema }) => ({ ...(toJsonSchema(schema) as object) }));
  expect(share(schemas.map(sizesOf))).toBeLessThan(0.6);
});

it('public schemas are told in at most 60 % of the tokens, of all and of one in two', async () => {
  const schemas = (await readPublicSchemas()).map(({ schema }) => schema);
  expect(schemas.length).toBeGreaterThan(1_000);
  const step = matrixRuns(3, 1);
  const sizes = schemas.filter((_, index) => index % step === 0).map(sizesOf);
  expect(share(sizes)).toBeLessThan(0.6);
  const shares = sizes.map((each) => share([each])).toSorted((one, other) => one - other);
  expect(shares[Math.floor(shares.length / 2)]).toBeLessThan(0.6);
  // A schema without anything to leave out is not longer either.
  expect(shares.at(-1)).toBeLessThan(1.1);
});
