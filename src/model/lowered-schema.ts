/** Owns that a definition's schema is lowered once for each dialect, which costs more than a whole call does beside it. */
import type { AnyOutputDefinition } from '../output/definition.ts';
import { outputJsonSchema } from '../output/output-json-schema.ts';
import { schemaKeyOf } from '../output/schema-hash.ts';
import type { SchemaDialect } from '../schema/dialects/dialect-profile.ts';
import { lowerJsonSchema, type LoweredJsonSchema } from '../schema/dialects/lower-json-schema.ts';

/** Definitions are often made anew for a schema that is not. */
const loweredBySchema = new WeakMap<object, Map<string, LoweredJsonSchema>>();

/**
 * Returns what the provider is given, and the way back.
 *
 * @throws UsageError when the definition has no JSON Schema; SchemaError when the dialect cannot carry it
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
