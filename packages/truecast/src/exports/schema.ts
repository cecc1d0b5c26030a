/** Exports of `truecast/schema`: JSON Schemas, including untrusted ones. Bundles for a browser. */
export { SchemaError, jsonSchema } from '@truecast/core';
export type {
  FromJsonSchema,
  JsonSchema,
  JsonSchemaHelper,
  JsonValue,
  StandardJsonSchema,
} from '@truecast/core';
export { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
export { lowerJsonSchema } from '@truecast/core/internal/schema/dialects/lower-json-schema';
export type { LoweredJsonSchema } from '@truecast/core/internal/schema/dialects/lower-json-schema';
export type {
  SchemaChange,
  SchemaLoss,
} from '@truecast/core/internal/schema/dialects/lowering/lowering-port';
export type { SchemaDialect } from '@truecast/core/internal/schema/dialects/profiles/dialect-profile';
export { compileJsonSchema } from '@truecast/core/internal/schema/engine/compile-json-schema';
export type {
  JsonSchemaResult,
  JsonSchemaValidator,
} from '@truecast/core/internal/schema/engine/compile-json-schema';
export { toJsonSchema } from '@truecast/core/internal/schema/to-json-schema';
export { findUnexpressed } from '@truecast/core/internal/schema/unexpressed';
