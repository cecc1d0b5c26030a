import { describe, expect, it } from 'vitest';
import { SchemaError } from '../errors/schema-error.ts';
import { compileJsonSchema } from './engine/compile-json-schema.ts';
import type { JsonSchema, SchemaLimits } from './engine/read-schema.ts';
import { HOSTILE, nest, type Verdict } from '../../../../test/schema-suite/hostile-schemas.ts';

/** The test fails unless the result is a verdict or a named limit. */
function verdictOf(schema: unknown, value: unknown, limits?: SchemaLimits): Verdict {
  try {
    return compileJsonSchema(schema as JsonSchema, limits).validate(value).valid ? 'valid' : 'invalid';
  } catch (error) {
    if (SchemaError.isInstance(error)) return error.code;
    throw error;
  }
}

describe('a hostile schema or value', () => {
  it.each(HOSTILE)('is validated or exceeds a named limit: $name', ({ make, verdicts }) => {
    const { schema, value } = make();
    expect(verdicts).toContain(verdictOf(schema, value));
    expect(verdictOf({ type: 'string' }, 'still alive')).toBe('valid');
  });

  it('is refused if the stack is almost full, instead of ending the process', () => {
    const schema = nest(100, (inner) => ({ allOf: [inner] }), { type: 'string' });
    const seen = new Set<Verdict>();
    const descend = (): void => {
      try {
        descend();
      } finally {
        if (seen.size < 2) seen.add(verdictOf(schema, 'a'));
      }
    };
    expect(descend).toThrow();
    expect([...seen].every((verdict) => verdict === 'too-deep' || verdict === 'valid')).toBe(true);
  });
});
