import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { loweredSchema } from './lowered-schema.ts';

const element = z.object({ name: z.string().optional() });

it('is cached per schema, for any definition', () => {
  const first = loweredSchema(Output.object({ schema: element }), 'openai');
  expect(loweredSchema(Output.object({ schema: element }), 'openai')).toBe(first);
  expect(first.schema).toMatchObject({ type: 'object', required: ['name'] });
});

it('differs by dialect and kind of answer', () => {
  const openai = loweredSchema(Output.object({ schema: element }), 'openai');
  expect(loweredSchema(Output.object({ schema: element }), 'anthropic')).not.toBe(openai);
  const list = loweredSchema(Output.array({ element }), 'openai');
  expect(list.inverse({ output: [{ name: null }] })).toEqual([{}]);
});
