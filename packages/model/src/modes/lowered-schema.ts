/** Cache of lowered schemas, per schema and dialect. Lowering costs more than the rest of a call. */
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import {
  oncePerSchema,
  outputJsonSchema,
} from '@truecast/core/internal/output/definition/output-json-schema';
import type { SchemaDialect } from '@truecast/core/internal/schema/dialects/profiles/dialect-profile';
import {
  lowerJsonSchema,
  type LoweredJsonSchema,
} from '@truecast/core/internal/schema/dialects/lower-json-schema';

const loweredFor = oncePerSchema(() => new Map<SchemaDialect, LoweredJsonSchema>());

/**
 * Returns the provider's schema and the inverse conversion.
 *
 * @throws UsageError if the definition has no JSON Schema; SchemaError if the dialect cannot
 *   express it
 */
export function loweredSchema(output: AnyOutputDefinition, dialect: SchemaDialect): LoweredJsonSchema {
  const kept = loweredFor(output);
  const lowered = kept.get(dialect) ?? lowerJsonSchema(outputJsonSchema(output) ?? {}, dialect);
  kept.set(dialect, lowered);
  return lowered;
}
