/** Cost limits of a schema and of validation with it. Pure. */
import { assertKind, UsageError } from '../../errors/usage-error.ts';
import { describeValue } from '../../kit/describe-value.ts';

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

/** Limits with defaults applied. */
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
