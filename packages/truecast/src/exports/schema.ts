/** Exports of `truecast/schema`: JSON Schemas, including untrusted ones. Bundles for a browser. */
export {
  SchemaError,
  canonicalJson,
  compileJsonSchema,
  findUnexpressed,
  jsonSchema,
  lowerJsonSchema,
  toJsonSchema,
} from '@truecast/core';
export type {
  FromJsonSchema,
  JsonSchema,
  JsonSchemaHelper,
  JsonSchemaResult,
  JsonSchemaValidator,
  JsonValue,
  LoweredJsonSchema,
  SchemaChange,
  SchemaDialect,
  SchemaLoss,
  StandardJsonSchema,
} from '@truecast/core';
