/** Type guard of posted JSON Schemas. Pure. */
import type { JsonSchema } from '@truecast/core/internal/schema/engine/json-schema-types';

/** Returns true for an object, which a client posted as a JSON Schema. */
export function isJsonSchema(value: unknown): value is Exclude<JsonSchema, boolean> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
