import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../../engine/compile-json-schema.ts';
import { lowerJsonSchema } from '../lower-json-schema.ts';

const TYPES = ['null', 'boolean', 'integer', 'number', 'string'] as const;
type TypeName = (typeof TYPES)[number];
/** Each single type, and each pair. */
const LISTS: readonly (readonly TypeName[])[] = TYPES.flatMap((first, index) => [
  [first],
  ...TYPES.slice(index + 1).map((second) => [first, second]),
]);
const SAMPLES = [null, true, 2, 2.5, 'text'] as const;

describe('two types that must both hold', () => {
  it.each(LISTS.map((list) => [list.join(' or '), list] as const))(
    '%s with each other list: the merged schema accepts what both accept, and nothing more',
    (_name, first) => {
      for (const second of LISTS) {
        const part = { allOf: [{ type: [...first] }, { type: [...second] }] };
        const original = compileJsonSchema(part);
        const expected = SAMPLES.filter((sample) => original.validate(sample).valid);
        // No answer is possible, which the lowering refuses.
        if (expected.length === 0) continue;
        const { schema } = lowerJsonSchema(
          { type: 'object', properties: { a: part }, required: ['a'] },
          'gemini',
        );
        const lowered = compileJsonSchema(schema);
        const accepted = SAMPLES.filter((a) => lowered.validate({ a }).valid);
        expect(accepted, `${first.join()} and ${second.join()}`).toEqual(expected);
      }
    },
  );
});
