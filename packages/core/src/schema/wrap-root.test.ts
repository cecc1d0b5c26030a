import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileJsonSchema } from './engine/compile-json-schema.ts';
import { isObjectRoot, unwrapRoot, WRAPPED_ROOT_KEY, wrapRoot } from './wrap-root.ts';

it.each([
  [{ type: 'object' }, true],
  [{ type: ['object'] }, false],
  [{}, false],
  [true, false],
  [{ type: 'array' }, false],
])('reports whether a root is an object: %j', (schema, isObject) => {
  expect(isObjectRoot(schema)).toBe(isObject);
});

it('wraps an array, keeps its references, and unwraps it again', () => {
  const wrapped = wrapRoot({ type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } });
  expect(isObjectRoot(wrapped)).toBe(true);
  const validator = compileJsonSchema(wrapped);
  fc.assert(
    fc.property(fc.array(fc.integer()), (numbers) => {
      const value = { [WRAPPED_ROOT_KEY]: numbers };
      expect(validator.validate(value).valid).toBe(true);
      expect(unwrapRoot(value)).toBe(numbers);
    }),
  );
  expect(validator.validate({ [WRAPPED_ROOT_KEY]: ['x'] }).valid).toBe(false);
});
