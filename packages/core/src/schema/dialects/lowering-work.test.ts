import { describe, expect, it } from 'vitest';
import { COSTLY, LARGE, nestedCopies, SELF_MERGE } from '../../../../../test/schema-suite/costly-schemas.ts';
import { matrixColumns } from '../../../../../test/matrix.ts';
import { SchemaError } from '../../errors/schema-error.ts';
import { WorkBudget } from '../work/work-budget.ts';
import type { SchemaDialect } from './profiles/dialect-profile.ts';
import { lowerJsonSchema, lowerText, SCHEMA_DIALECTS, type LoweredJsonSchema } from './lower-json-schema.ts';
import type { SchemaObject } from './analysis/schema-place.ts';

const DIALECTS = Object.keys(SCHEMA_DIALECTS) as SchemaDialect[];
const MAX_WORK = 150_000;

/** Lowers with a budget, and returns the spent work. */
function lowerCounted(
  schema: SchemaObject,
  dialect: SchemaDialect,
): { readonly spent: number; readonly lowered: LoweredJsonSchema } {
  const work = new WorkBudget({ maxWork: MAX_WORK, work: 'Lowering', advice: '' });
  const lowered = lowerText(JSON.stringify(schema), SCHEMA_DIALECTS[dialect], work);
  return { spent: work.spent, lowered };
}

describe.each(DIALECTS)('lowering for %s', (dialect) => {
  const schemas = matrixColumns(DIALECTS.indexOf(dialect), [...COSTLY, ...LARGE], { rows: DIALECTS.length });
  it.each(schemas)('ends within its work limit: $name', ({ schema }) => {
    try {
      const lowered = lowerJsonSchema(schema, dialect);
      expect(lowered.schema).toHaveProperty('type', 'object');
    } catch (error) {
      if (!SchemaError.isInstance(error)) throw error;
      expect(['too-much-work', 'unsupported']).toContain(error.code);
    }
  });
});

describe('a repeated merge', () => {
  it('is recognised as recursion', () => {
    for (const dialect of DIALECTS) expect(lowerCounted(SELF_MERGE, dialect).spent).toBeLessThan(3_000);
    const { lowered } = lowerCounted(SELF_MERGE, 'openai');
    expect(lowered.losses).toEqual([]);
    const value = { n: { n: { n: null } } };
    expect(lowered.inverse(value)).toEqual({ n: { n: {} } });
  });

  it('is lowered once: six levels of four copies stay far below 4^6 parts', () => {
    const { spent, lowered } = lowerCounted(nestedCopies(6), 'openai');
    expect(spent).toBeLessThan(60_000);
    expect(JSON.stringify(lowered.schema).length).toBeLessThan(100_000);
  });

  it('is a definition for later uses', () => {
    const { lowered } = lowerCounted(nestedCopies(4), 'gemini');
    expect(Object.keys(lowered.schema['$defs'] as object).length).toBeGreaterThan(1);
  });
});

it('the work limit can be raised, and lowered', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } } as const;
  expect(() => lowerJsonSchema(schema, 'openai', { maxWork: 10 })).toThrowError(
    expect.objectContaining({ code: 'too-much-work' }),
  );
  expect(lowerJsonSchema(schema, 'openai', { maxWork: 1_000 }).losses).toEqual([]);
});

it('a schema too deep for the stack is refused, not thrown as a RangeError', () => {
  const count = 12_000;
  const definitions = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `d${index}`,
      { type: 'object', properties: { n: { $ref: `#/$defs/d${index + 1}` } } },
    ]),
  );
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: { ...definitions, [`d${count}`]: { type: 'string' } },
  };
  expect(() => lowerJsonSchema(schema, 'gemini')).toThrowError(SchemaError);
});
