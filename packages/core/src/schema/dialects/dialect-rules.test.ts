import { describe, expect, it } from 'vitest';
import { SchemaError } from '../../errors/schema-error.ts';
import { lowerJsonSchema, SCHEMA_DIALECTS } from './lower-json-schema.ts';
import type { SchemaRule } from './analysis/schema-rule.ts';
import { findSchemaBreach } from './analysis/schema-rule.ts';

const rules = Object.values(SCHEMA_DIALECTS).flatMap((profile) =>
  profile.rules.map((rule): [string, string, SchemaRule] => [profile.name, rule.rule, rule]),
);

describe('each rule of each dialect', () => {
  it.each(rules)(
    '%s: accepts its accepted example and refuses its rejected one: %s',
    (_name, _text, rule) => {
      expect(findSchemaBreach(rule.accepted, [rule])).toBeUndefined();
      expect(findSchemaBreach(rule.rejected, [rule])?.rule).toBe(rule);
    },
  );

  it.each(rules)('%s: names its source and the day it was read: %s', (_name, _text, { source, date }) => {
    expect(source.length).toBeGreaterThan(10);
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/u);
  });

  it.each(rules)('%s: has an accepted example that breaks no other rule: %s', (name, _text, rule) => {
    const profile = Object.values(SCHEMA_DIALECTS).find((one) => one.name === name);
    expect(findSchemaBreach(rule.accepted, profile?.rules ?? [])?.path).toBeUndefined();
  });

  it.each(rules)(
    '%s: keeps the rule when the rejected example is lowered, or refuses it: %s',
    (name, _text, rule) => {
      const profile = Object.values(SCHEMA_DIALECTS).find((one) => one.name === name)!;
      try {
        const { schema } = lowerJsonSchema(rule.rejected, profile.name);
        expect(findSchemaBreach(schema, profile.rules)).toBeUndefined();
      } catch (error) {
        if (!SchemaError.isInstance(error)) throw error;
        expect(['unsupported', 'remote-reference', 'pattern', 'invalid', 'too-many-nodes']).toContain(
          error.code,
        );
      }
    },
  );
});
