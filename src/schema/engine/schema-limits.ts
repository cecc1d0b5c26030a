/** Owns how much a schema and a validation with it may cost. Pure. */
import { describeValue } from '../../errors/describe-value.ts';
import { UsageError } from '../../errors/usage-error.ts';

/** Limits of a schema that comes from outside, all of them counted, none timed; each is a whole number of 1 or more. */
export interface SchemaLimits {
  /** Bytes of the schema as JSON in UTF-8. @default 65536 */
  readonly maxBytes?: number;
  /** Objects and arrays inside each other, in the schema. A validation may apply four times as many schemas inside each other. @default 256 */
  readonly maxDepth?: number;
  /** JSON values in the schema: each object, array, string, number and literal. @default 20000 */
  readonly maxNodes?: number;
  /**
   * Units of work of one validation; a unit is some tens of nanoseconds: applying a schema costs two, visiting a key three, a step of a pattern one.
   * Raise it for schemas and values of your own that are large.
   * @default 500000
   */
  readonly maxWork?: number;
}

/** Every limit that the caller does not set. */
const DEFAULT_LIMITS: Required<SchemaLimits> = {
  maxBytes: 65_536,
  maxDepth: 256,
  maxNodes: 20_000,
  maxWork: 500_000,
};

/** Schemas that may be applied inside each other, for each level that the schema itself may have: a recursive schema takes several a level. */
export const APPLICATIONS_PER_DEPTH = 4;

/**
 * Fills in the limits that are not set.
 *
 * @throws UsageError `invalid-option` for one that is not a whole number of 1 or more
 */
export function normalizeSchemaLimits(limits: SchemaLimits): Required<SchemaLimits> {
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
