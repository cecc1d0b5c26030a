/**
 * Cache of lowered schemas, per definition and dialect. Lowering costs more than the rest of a
 * call.
 */
import type { AnyOutputDefinition } from '../../output/definition/definition.ts';
import { outputJsonSchema } from '../../output/definition/output-json-schema.ts';
import { schemaKeyOf } from '../../output/definition/schema-hash.ts';
import type { SchemaDialect } from '../../schema/dialects/profiles/dialect-profile.ts';
import { lowerJsonSchema, type LoweredJsonSchema } from '../../schema/dialects/lower-json-schema.ts';

/** Keyed by schema, because callers often create a new definition for the same schema. */
const loweredBySchema = new WeakMap<object, Map<string, LoweredJsonSchema>>();

/**
 * Returns the provider's schema and the inverse conversion.
 *
 * @throws UsageError if the definition has no JSON Schema; SchemaError if the dialect cannot
 *   express it
 */
export function loweredSchema(output: AnyOutputDefinition, dialect: SchemaDialect): LoweredJsonSchema {
  const key = schemaKeyOf(output);
  const kept = loweredBySchema.get(key) ?? new Map<string, LoweredJsonSchema>();
  loweredBySchema.set(key, kept);
  const name = `${output._tag} ${dialect}`;
  const lowered = kept.get(name) ?? lowerJsonSchema(outputJsonSchema(output) ?? {}, dialect);
  kept.set(name, lowered);
  return lowered;
}
