/** Exports of `truecast/schema`: JSON Schemas, including untrusted ones. Bundles for a browser. */
export { SchemaError } from '../errors/schema-error.ts';
export type { SchemaErrorCode, SchemaErrorOptions } from '../errors/schema-error.ts';
export { canonicalJson } from '../schema/canonical-json.ts';
export { compileJsonSchema } from '../schema/engine/compile-json-schema.ts';
export type { JsonSchemaResult, JsonSchemaValidator } from '../schema/engine/compile-json-schema.ts';
export type { SchemaLimits } from '../schema/engine/schema-limits.ts';
export type { FromJsonSchema } from '../schema/from-json-schema.ts';
export type { JsonSchema } from '../schema/engine/json-schema-types.ts';
export { jsonSchema } from '../schema/json-schema.ts';
export type { JsonSchemaHelper, StandardJsonSchema } from '../schema/json-schema.ts';
export type { JsonValue } from '../schema/json-value.ts';
export { lowerJsonSchema } from '../schema/dialects/lower-json-schema.ts';
export type { LoweredJsonSchema } from '../schema/dialects/lower-json-schema.ts';
export type { SchemaChange, SchemaLoss } from '../schema/dialects/lowering/lowering-port.ts';
export type { SchemaDialect } from '../schema/dialects/profiles/dialect-profile.ts';
export { toJsonSchema } from '../schema/to-json-schema.ts';
export { findUnexpressed } from '../schema/unexpressed.ts';
