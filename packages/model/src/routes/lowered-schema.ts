/**
 * Cache of lowered schemas, per definition and dialect. Lowering costs more than the rest of a
 * call.
 */
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { outputJsonSchema } from '@truecast/core/internal/output/definition/output-json-schema';
import { schemaKeyOf } from '@truecast/core/internal/output/definition/schema-hash';
import type { SchemaDialect } from '@truecast/core/internal/schema/dialects/profiles/dialect-profile';
import {
  lowerJsonSchema,
  type LoweredJsonSchema,
} from '@truecast/core/internal/schema/dialects/lower-json-schema';

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
