/**
 * Objects that each call makes have fast properties. V8 keeps the getter of an object literal in the old
 * space, and what it refers to with it, until a full collection.
 */
import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { createPartialBuilder } from '../../packages/core/src/json/scan/partial-builder.ts';
import { createElementLoop } from '../../packages/core/src/output/validate/element-loop.ts';
import { checkContext } from '../../packages/model/src/call/check-context.ts';

setFlagsFromString('--allow-natives-syntax');
// oxlint-disable-next-line typescript/no-implied-eval -- the intrinsics of V8 have no other syntax
const hasFastProperties = new Function('object', 'return %HasFastProperties(object)') as (
  object: object,
) => boolean;

const output = Output.array({ element: z.number() });
const answer = { output, result: () => Promise.resolve({ output: [] }), onLeave: () => undefined };

it.each<[string, object]>([
  ['the loop over elements', createElementLoop(answer)],
  ['the builder of previews', createPartialBuilder()],
  ['the context of a check', checkContext(undefined)],
])('%s has fast properties', (_name, object) => {
  expect(hasFastProperties(object)).toBe(true);
});

it('sees the getter of a literal', () => {
  const literal = {
    get value() {
      return 1;
    },
  };
  expect(hasFastProperties(literal)).toBe(false);
});
