/** Owns `jsonSchema()`: a plain JSON Schema as a Standard Schema. Pure. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { describeValue } from '../errors/describe-value.ts';
import { UsageError } from '../errors/usage-error.ts';
import { compileJsonSchema } from './compile-json-schema.ts';
import type { Dialect } from './engine/dialect.ts';
import type { SchemaLimits } from './engine/schema-limits.ts';
import type { FromJsonSchema } from './from-json-schema.ts';
import type { JsonSchema } from './json-schema-types.ts';

/** A JSON Schema as a Standard Schema, which can also give its JSON Schema back. */
export interface StandardJsonSchema<TValue> extends StandardSchemaV1<TValue, TValue> {
  readonly '~standard': StandardSchemaV1.Props<TValue, TValue> & StandardJSONSchemaV1.Props<TValue, TValue>;
}

/** Wraps JSON Schemas; see `jsonSchema`. */
export interface JsonSchemaHelper {
  <const TSchema extends boolean | object>(
    schema: TSchema,
    limits?: SchemaLimits,
  ): StandardJsonSchema<FromJsonSchema<TSchema>>;
  /** Does the same for a schema whose type cannot be worked out: `TValue` is only claimed, and nothing compares it with the schema. */
  unchecked<TValue = unknown>(schema: JsonSchema | object, limits?: SchemaLimits): StandardJsonSchema<TValue>;
}

/**
 * Wraps a plain JSON Schema (also one that TypeBox builds), so that it can stand wherever a Zod, Valibot or ArkType schema can.
 *
 * The type of the value is worked out from a schema that is written in place (`FromJsonSchema`); for one from elsewhere it is claimed:
 * `jsonSchema.unchecked<T>(schema)`. The schema is compiled at once, by the guarded compiler of `compileJsonSchema` and under its limits:
 * raise `maxWork` for large values of your own. A validation that exceeds them throws a `SchemaError`.
 *
 * @throws SchemaError `too-large | too-deep | too-many-nodes | remote-reference | pattern | invalid`, with the path in the schema
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

function wrap<TValue>(
  schema: boolean | object,
  limits: SchemaLimits | undefined,
): StandardJsonSchema<TValue> {
  // Whether it is plain is for the compiler to refuse.
  const plain = schema as JsonSchema;
  const validator = compileJsonSchema(plain, limits);
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
        // The validator has just said that the value is of this type; `unchecked` is the caller's word for it.
        return result.valid ? { value: value as TValue } : { issues: result.issues };
      },
      jsonSchema: { input: convert, output: convert },
    },
  };
}

/** What all drafts since 07 have in common is most of them: a schema is given as it is, not translated. */
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
