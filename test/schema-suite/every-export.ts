/**
 * Calls of every export that takes a schema, for one schema. Each must return, or throw a typed
 * error.
 */
import { SchemaError } from '../../packages/core/src/errors/schema-error.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { canonicalJson } from '../../packages/core/src/schema/canonical-json.ts';
import { compileJsonSchema } from '../../packages/core/src/schema/engine/compile-json-schema.ts';
import type { SchemaDialect } from '../../packages/core/src/schema/dialects/profiles/dialect-profile.ts';
import {
  lowerJsonSchema,
  SCHEMA_DIALECTS,
} from '../../packages/core/src/schema/dialects/lower-json-schema.ts';
import { jsonSchema } from '../../packages/core/src/schema/json-schema.ts';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import { findUnexpressed } from '../../packages/core/src/schema/unexpressed.ts';
import { sampleValue } from '../../packages/core/src/schema/sample/sample-value.ts';

export const LOWERED_DIALECTS = Object.keys(SCHEMA_DIALECTS) as readonly SchemaDialect[];

/** One call of an export. */
export interface ExportCall {
  readonly name: string;
  readonly run: () => unknown;
}

/**
 * Returns the calls of every export for a schema and some dialects, by default all. An inverse is called for each dialect that
 * accepts the schema.
 */
export function callsOf(
  schema: unknown,
  dialects: readonly SchemaDialect[] = LOWERED_DIALECTS,
): readonly ExportCall[] {
  // Each export decides whether it is a schema.
  const given = schema as JsonSchema;
  return [
    { name: 'compileJsonSchema', run: () => compileJsonSchema(given) },
    { name: 'canonicalJson', run: () => canonicalJson(schema) },
    { name: 'sampleValue', run: () => JSON.stringify(sampleValue(schema)) },
    { name: 'instructions', run: () => Output.instructions(Output.object({ schema: wrap(given) })) },
    { name: 'findUnexpressed', run: () => findUnexpressed(wrap(given)) },
    ...dialects.flatMap((dialect): ExportCall[] => {
      let lowered: ReturnType<typeof lowerJsonSchema> | undefined;
      let answers: readonly unknown[] = [];
      return [
        {
          name: `lowerJsonSchema ${dialect}`,
          run: () => {
            lowered = lowerJsonSchema(given, dialect);
            return lowered;
          },
        },
        {
          name: `(answers ${dialect})`,
          run: () => {
            if (lowered !== undefined) answers = [sampleValue(lowered.schema)];
          },
        },
        { name: `inverse ${dialect}`, run: () => answers.map((answer) => lowered?.inverse(answer)) },
      ];
    }),
  ];
}

function wrap(schema: JsonSchema): ReturnType<typeof jsonSchema.unchecked> {
  return jsonSchema.unchecked(schema);
}

/** Runs a call and returns the typed error's code. Any other error is thrown. */
export function outcomeOf({ run }: ExportCall): string {
  try {
    run();
    return 'ok';
  } catch (error) {
    if (SchemaError.isInstance(error) || UsageError.isInstance(error)) return error.code;
    throw error;
  }
}
