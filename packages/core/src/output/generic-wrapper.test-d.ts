/** Generic wrapper: a function over any Zod schema, as users write it, compiles and keeps its types. */
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { generate, type GenerateModel } from '@truecast/model';
import { Output } from './output.ts';
import { extractOutput } from './extract-output.ts';

declare const model: GenerateModel;
declare const text: string;

async function ask<TSchema extends z.ZodType>(schema: TSchema): Promise<z.infer<TSchema>> {
  const { output } = await generate({ model, prompt: 'x', output: Output.object({ schema }) });
  return output;
}

async function extract<TSchema extends z.ZodType>(schema: TSchema): Promise<z.infer<TSchema>[]> {
  return await extractOutput(text, Output.array({ element: schema }));
}

async function askTyped<T>(schema: z.ZodType<T>): Promise<T> {
  return (await generate({ model, prompt: 'x', output: Output.object({ schema }) })).output;
}

it('returns what the schema says', () => {
  const bug = z.object({ file: z.string(), line: z.number().optional() });
  expectTypeOf(ask(bug)).resolves.toEqualTypeOf<z.infer<typeof bug>>();
  expectTypeOf(extract(bug)).resolves.toEqualTypeOf<z.infer<typeof bug>[]>();
  expectTypeOf(askTyped(bug)).resolves.toEqualTypeOf<z.infer<typeof bug>>();
});
