/** Owns what a schema costs: its size, the time to compile it, the work of validating its example. */
import { performance } from 'node:perf_hooks';
import { SchemaError } from '../errors/schema-error.ts';
import { compileJsonSchema } from '../schema/compile-json-schema.ts';
import { isRecord } from '../schema/dialects/schema-place.ts';
import { collectNodes } from '../schema/dialects/schema-rule.ts';
import type { JsonSchema } from '../schema/json-schema-types.ts';
import type { JsonValue } from '../schema/json-value.ts';

/** The cost of a schema. */
export interface SchemaCost {
  /** The draft that it is read by. */
  readonly draft: string;
  /** Of its JSON in UTF-8. */
  readonly bytes: number;
  /** Objects in it that are schemas. */
  readonly schemas: number;
  /** JSON values in it, which is what the limit `maxNodes` counts. */
  readonly values: number;
  readonly compileMs: number;
  /** Units of work that suffice to validate the example, to the next power of two. */
  readonly exampleWork: number;
}

/** Limit of the work of a validation, unless the caller sets another. */
const MAX_WORK = 500_000;

/**
 * Measures a schema.
 *
 * @throws SchemaError when it cannot be compiled
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
