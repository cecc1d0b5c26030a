/** `jsonSchema()`: plain JSON Schemas as Standard Schemas. Pure. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { describeValue } from '../kit/describe-value.ts';
import { UsageError } from '../errors/usage-error.ts';
import { compileJsonSchema } from './engine/compile-json-schema.ts';
import type { JsonSchema, SchemaLimits } from './engine/read-schema.ts';
import type { Dialect } from './engine/evaluation/dialect.ts';
import type { FromJsonSchema } from './from-json-schema.ts';

/** A JSON Schema as a Standard Schema, which can also return its JSON Schema. */
export interface StandardJsonSchema<TValue> extends StandardSchemaV1<TValue, TValue> {
  readonly '~standard': StandardSchemaV1.Props<TValue, TValue> & StandardJSONSchemaV1.Props<TValue, TValue>;
}

/** Wraps JSON Schemas; see `jsonSchema`. */
export interface JsonSchemaHelper {
  <const TSchema extends boolean | object>(
    schema: TSchema,
    limits?: SchemaLimits,
  ): StandardJsonSchema<FromJsonSchema<TSchema>>;
  /**
   * Wraps a schema whose type cannot be inferred. `TValue` is only claimed, and never compared with
   * the schema.
   */
  unchecked<TValue = unknown>(schema: JsonSchema | object, limits?: SchemaLimits): StandardJsonSchema<TValue>;
}

/**
 * Wraps a plain JSON Schema (also one built by TypeBox), so that it can be used like a Zod, Valibot
 * or ArkType schema.
 *
 * The value's type is inferred from a schema literal (`FromJsonSchema`). If TypeScript
 * cannot see the literal, name the type yourself: `jsonSchema.unchecked<T>(schema)`. The schema is compiled at once by the
 * guarded compiler of `compileJsonSchema`, with its limits. Only `maxBytes` differs: it is 1 MiB.
 * Pass `maxBytes: 65_536` for an untrusted schema. Raise `maxWork` for your own large values. A
 * validation that exceeds the limits throws a `SchemaError`.
 *
 * @throws SchemaError `too-large | too-deep | too-many-nodes | remote-reference | pattern |
 *   invalid`, with the path in the schema
 * @example
 * ```ts
 * const output = Output.object({
 *   tag: 'result',
 *   schema: jsonSchema({ type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }),
 * }); // { title: string }
 * ```
 */
export const jsonSchema: JsonSchemaHelper = Object.assign(
  <const TSchema extends boolean | object>(
    schema: TSchema,
    limits?: SchemaLimits,
  ): StandardJsonSchema<FromJsonSchema<TSchema>> => wrap(schema, limits),
  {
    unchecked: <TValue = unknown>(
      schema: JsonSchema | object,
      limits?: SchemaLimits,
    ): StandardJsonSchema<TValue> => wrap(schema, limits),
  },
);

/**
 * A program's own schema can be larger than an untrusted one. `maxNodes` and `maxWork` limit its
 * cost.
 */
const OWN_SCHEMA_BYTES = 1_048_576;

function wrap<TValue>(
  schema: boolean | object,
  limits: SchemaLimits | undefined,
): StandardJsonSchema<TValue> {
  // The compiler rejects it if it is not plain.
  const plain = schema as JsonSchema;
  const validator = compileJsonSchema(plain, { maxBytes: OWN_SCHEMA_BYTES, ...limits });
  const convert = ({ target }: StandardJSONSchemaV1.Options): Record<string, unknown> => {
    refuseOtherTarget(target, validator.dialect);
    return toObject(plain);
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'truecast',
      validate: (value) => {
        const result = validator.validate(value);
        // The validator has just confirmed this type. For `unchecked` the caller claims it.
        return result.valid ? { value: value as TValue } : { issues: result.issues };
      },
      jsonSchema: { input: convert, output: convert },
    },
  };
}

/**
 * The drafts since 07 have most keywords in common, so a schema is returned unchanged, not
 * translated.
 */
function refuseOtherTarget(target: string, dialect: Dialect): void {
  if (target === 'draft-2020-12' || target === dialect || target === `draft-${dialect}`) return;
  throw new UsageError(
    `Expected the target \`draft-2020-12\`, got ${describeValue(target)}. A plain JSON Schema is not translated.`,
    {
      code: 'unsupported',
    },
  );
}

function toObject(schema: JsonSchema): Record<string, unknown> {
  if (typeof schema === 'boolean') return schema ? {} : { not: {} };
  return { ...schema };
}
