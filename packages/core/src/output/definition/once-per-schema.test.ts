/** Tests of work that is done once for each schema, not for each answer. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../output.ts';
import { assertAnswerable } from './assert-definition.ts';
import { outputJsonSchema } from './output-json-schema.ts';

/** A schema whose definition counts how often it is read. */
function counted(): { readonly schema: z.ZodType; reads(): number } {
  const inner = z.object({ n: z.number() });
  let reads = 0;
  const schema = new Proxy(inner, {
    get(target, name, receiver) {
      if (name === '_zod') reads += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  return { schema, reads: () => reads };
}

it.each([
  ['is converted', outputJsonSchema],
  ['is searched for impossible parts', assertAnswerable],
])('a schema %s once, also for another definition of it', (_what, use) => {
  const { schema, reads } = counted();
  use(Output.object({ schema }));
  const first = reads();
  expect(first).toBeGreaterThan(0);
  use(Output.object({ schema }));
  expect(reads()).toBe(first);
});

it('a schema that is a function, as those of ArkType are, is converted once', () => {
  let reads = 0;
  const schema = Object.assign(() => undefined, {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) => ({ value }),
      jsonSchema: {
        input: () => ({}),
        output: () => {
          reads += 1;
          return { type: 'number' };
        },
      },
    },
  } as const);
  for (let time = 0; time < 2; time += 1) expect(outputJsonSchema(Output.object({ schema }))).toBeDefined();
  expect(reads).toBeLessThan(2);
});

it('a schema that no JSON fits is refused each time', () => {
  const definition = Output.object({ schema: z.object({ at: z.date() }) });
  for (let time = 0; time < 2; time += 1) expect(() => assertAnswerable(definition)).toThrow(/date/iu);
});
