/** Limits of untrusted schemas, and their reader: measures them before any other use, then copies them. Pure. */
import { describeValue } from '../../kit/describe-value.ts';
import { SchemaError, type SchemaErrorCode } from '../../errors/schema-error.ts';
import { assertKind, UsageError } from '../../errors/usage-error.ts';

/** Limits of an untrusted schema, all counted, none timed. Each is an integer of at least 1. */
export interface SchemaLimits {
  /** Size of the schema as JSON in UTF-8 bytes. @default 65536 */
  readonly maxBytes?: number;
  /** Nesting depth of the schema. A validation can nest four times as many schemas. @default 256 */
  readonly maxDepth?: number;
  /** JSON values in the schema: objects, arrays, strings, numbers and literals. @default 20000 */
  readonly maxNodes?: number;
  /**
   * Units of work of one validation. A unit is a few tens of nanoseconds: applying a schema costs
   * two, visiting a key three, a pattern step one. Raise it for your own large schemas and values.
   * @default 500000
   */
  readonly maxWork?: number;
}

const DEFAULT_LIMITS: Required<SchemaLimits> = {
  maxBytes: 65_536,
  maxDepth: 256,
  maxNodes: 20_000,
  maxWork: 500_000,
};

/**
 * Nested schema applications per allowed level of the schema: a recursive schema needs several per
 * level.
 */
export const APPLICATIONS_PER_DEPTH = 4;

/**
 * Applies the defaults.
 *
 * @throws UsageError `invalid-option` for a limit that is not an integer of at least 1
 */
export function normalizeSchemaLimits(limits: SchemaLimits): Required<SchemaLimits> {
  assertKind(limits, 'an object', 'limits', 'Pass limits such as `{ maxWork: 1_000_000 }`, or leave it out.');
  const normalized = {
    maxBytes: limits.maxBytes ?? DEFAULT_LIMITS.maxBytes,
    maxDepth: limits.maxDepth ?? DEFAULT_LIMITS.maxDepth,
    maxNodes: limits.maxNodes ?? DEFAULT_LIMITS.maxNodes,
    maxWork: limits.maxWork ?? DEFAULT_LIMITS.maxWork,
  };
  for (const [name, value] of Object.entries(normalized)) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new UsageError(
      `Expected \`${name}\` to be a whole number of 1 or more, got ${describeValue(value)}. Leave it out for the default.`,
    );
  }
  return normalized;
}

/** A JSON Schema: an object of keywords, `true` for anything, or `false` for nothing. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

type Path = readonly (string | number)[];

/**
 * Returns the JSON text of a schema within the limits.
 *
 * The text is the cache key, and the compiled schema is parsed from it. Later changes by the caller
 * have no effect.
 *
 * @throws SchemaError `too-large`, `too-deep`, `too-many-nodes`, or `invalid` for values outside
 *   JSON
 */
export function readSchema(schema: unknown, limits: Required<SchemaLimits>): string {
  if (
    typeof schema !== 'boolean' &&
    (typeof schema !== 'object' || schema === null || Array.isArray(schema))
  ) {
    throw new SchemaError(
      `Expected a JSON Schema, which is an object or a boolean, got ${describeValue(schema)}.`,
      { code: 'invalid', path: [] },
    );
  }
  // Measured first: a few shared objects can expand to 2^40 bytes of text.
  const meter = new SchemaMeter(limits);
  meter.measure(schema, [], 0);
  const text = JSON.stringify(schema);
  if (utf8Length(text, limits.maxBytes) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  return text;
}

/** Parses the text of `readSchema` into a private copy. */
export function parseSchemaText(text: string): JsonSchema {
  // `readSchema` created the text from an object or a boolean.
  return JSON.parse(text) as JsonSchema;
}

/** Counts depth, values and a lower bound of the bytes. The recursion ends at the depth limit. */
class SchemaMeter {
  readonly #limits: Required<SchemaLimits>;
  #nodes = 0;
  #bytes = 0;

  constructor(limits: Required<SchemaLimits>) {
    this.#limits = limits;
  }

  measure(value: unknown, path: (string | number)[], depth: number): void {
    this.#nodes += 1;
    this.#bytes += typeof value === 'string' ? value.length + 2 : 1;
    if (this.#bytes > this.#limits.maxBytes) throw tooLarge(this.#limits.maxBytes);
    if (this.#nodes > this.#limits.maxNodes) {
      throw refuse('too-many-nodes', `at most ${this.#limits.maxNodes} values`, 'more', path);
    }
    if (typeof value !== 'object' || value === null) {
      if (!isJsonScalar(value)) throw refuse('invalid', 'only JSON values', describeValue(value), path);
      return;
    }
    if (depth >= this.#limits.maxDepth) {
      throw refuse('too-deep', `at most ${this.#limits.maxDepth} levels of nesting`, 'more', path);
    }
    this.#measureMembers(value, path, depth);
  }

  #measureMembers(value: object, path: (string | number)[], depth: number): void {
    if (Array.isArray(value)) {
      for (const [index, member] of value.entries()) {
        path.push(index);
        this.measure(member ?? null, path, depth + 1);
        path.pop();
      }
      return;
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      throw refuse('invalid', 'plain objects', describeValue(value), path);
    }
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      this.#bytes += key.length + 3;
      path.push(key);
      this.measure(member, path, depth + 1);
      path.pop();
    }
  }
}

function isJsonScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function utf8Length(text: string, enough: number): number {
  if (text.length > enough) return text.length;
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Each surrogate counts as two of the pair's four bytes.
    if (unit > 0x7f) bytes += unit > 0x7_ff && (unit < 0xd8_00 || unit > 0xdf_ff) ? 2 : 1;
  }
  return bytes;
}

function tooLarge(maxBytes: number): SchemaError {
  return refuse('too-large', `at most ${maxBytes} bytes of JSON`, 'more', []);
}

function refuse(code: SchemaErrorCode, expected: string, got: string, path: Path): SchemaError {
  return new SchemaError(
    `Expected the JSON Schema to have ${expected}, got ${got}. Make it smaller, or raise the limit if it is your own.`,
    {
      code,
      path: [...path],
    },
  );
}
