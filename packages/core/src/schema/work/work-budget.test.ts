/** The work limit itself, on schemas that end quickly without it, so that a missing limit fails and does not hang. */
import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../engine/compile-json-schema.ts';
import { lowerJsonSchema, SCHEMA_DIALECTS } from '../dialects/lower-json-schema.ts';
import type { SchemaDialect } from '../dialects/profiles/dialect-profile.ts';
import { WorkBudget } from './work-budget.ts';

const TOO_MUCH: unknown = expect.objectContaining({ code: 'too-much-work' });
const SCHEMA = {
  type: 'object',
  properties: { a: { type: 'array', items: { $ref: '#/$defs/b' } } },
  $defs: { b: { type: 'string', pattern: '^a+$' } },
} as const;

it('a budget ends at its first unit over the limit, and counts all units', () => {
  const work = new WorkBudget({ maxWork: 10, work: 'Work', advice: '' });
  work.spend(4);
  work.spend(6, ['a']);
  expect([work.spent, work.remaining]).toEqual([10, 0]);
  expect(() => work.spend(1, ['a'])).toThrowError(TOO_MUCH);
  expect([work.spent, work.remaining]).toEqual([11, 0]);
});

describe.each(Object.keys(SCHEMA_DIALECTS) as SchemaDialect[])('lowering for %s', (dialect) => {
  it('ends at its limit', () => {
    expect(() => lowerJsonSchema(SCHEMA, dialect, { maxWork: 20 })).toThrowError(TOO_MUCH);
    expect(lowerJsonSchema(SCHEMA, dialect, { maxWork: 10_000 }).schema).toHaveProperty('type', 'object');
  });
});

it('a validation ends at its limit', () => {
  const value = { a: Array.from({ length: 50 }, () => 'aaaa') };
  expect(() => compileJsonSchema(SCHEMA, { maxWork: 100 }).validate(value)).toThrowError(TOO_MUCH);
  expect(compileJsonSchema(SCHEMA, { maxWork: 100_000 }).validate(value)).toEqual({ valid: true });
});
