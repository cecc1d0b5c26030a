/** Cost of a schema: its size, its compile time, and the work to validate its example. */
import { performance } from 'node:perf_hooks';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { compileJsonSchema } from '@truecast/core/internal/schema/engine/compile-json-schema';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { collectNodes } from '@truecast/core/internal/schema/dialects/analysis/schema-rule';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';

export interface SchemaCost {
  /** The JSON Schema draft in use. */
  readonly draft: string;
  /** Size of its JSON in UTF-8. */
  readonly bytes: number;
  /** Number of objects in it that are schemas. */
  readonly schemas: number;
  /** Number of JSON values in it. The limit `maxNodes` counts these. */
  readonly values: number;
  readonly compileMs: number;
  /** Units of work that are enough to validate the example, rounded up to a power of two. */
  readonly exampleWork: number;
}

/** Default work limit of a validation. */
const MAX_WORK = 500_000;

/**
 * Measures a schema.
 *
 * @throws SchemaError if it cannot be compiled
 */
export function measureSchema(schema: JsonSchema, example: JsonValue): SchemaCost {
  const text = JSON.stringify(schema);
  const startedMs = performance.now();
  const { dialect } = compileJsonSchema(schema);
  const compileMs = performance.now() - startedMs;
  return {
    draft: dialect,
    bytes: new TextEncoder().encode(text).length,
    schemas: isRecord(schema) ? collectNodes(schema).length : 1,
    values: countValues(schema),
    compileMs,
    exampleWork: findWork(schema, example),
  };
}

function countValues(value: unknown): number {
  const open = [value];
  for (const part of open) {
    if (typeof part === 'object' && part !== null) open.push(...(Object.values(part) as unknown[]));
  }
  return open.length;
}

function findWork(schema: JsonSchema, example: JsonValue): number {
  for (let maxWork = 1; maxWork < MAX_WORK; maxWork *= 2) {
    try {
      compileJsonSchema(schema, { maxWork }).validate(example);
      return maxWork;
    } catch (error) {
      if (!SchemaError.isInstance(error) || error.code !== 'too-much-work') throw error;
    }
  }
  return MAX_WORK;
}
