/** JSON Schema compiler for untrusted schemas, with a cache. Pure. */
import type { Issue } from '../../kit/issue.ts';
import { SchemaError } from '../../errors/schema-error.ts';
import { applySchema } from './evaluation/apply-schema.ts';
import type { Dialect } from './evaluation/dialect.ts';
import {
  parseSchemaText,
  readSchema,
  type JsonSchema,
  APPLICATIONS_PER_DEPTH,
  normalizeSchemaLimits,
  type SchemaLimits,
} from './read-schema.ts';
import { type CompiledSchema, compileDocument } from './schema-compilation.ts';
import { ValidationRun } from './evaluation/validation-run.ts';
import { TextCache } from './text-cache.ts';

/** Result of a validation. */
export type JsonSchemaResult =
  | { readonly valid: true }
  | { readonly valid: false; readonly issues: readonly Issue[] };

/** Validator of a JSON Schema. It keeps no part of a value, and can be used any number of times. */
export interface JsonSchemaValidator {
  /** The JSON Schema draft in use. */
  readonly dialect: Dialect;
  /**
   * Validates a value. An invalid value gets at most 100 issues.
   *
   * @throws SchemaError `too-much-work` or `too-deep`, with the path in the value, if the
   *   validation would exceed the limits
   */
  validate(value: unknown): JsonSchemaResult;
}

/** Cache of compiled schemas, limited by number and by the total characters of their texts. */
const CACHE = new TextCache<CompiledSchema>({ maxEntries: 512, maxChars: 4 * 1024 * 1024 });

/**
 * Creates a validator of a JSON Schema that can be untrusted. It loads nothing and generates no
 * code. Neither compiling nor validating can hang or end the process, whatever the schema and the
 * value. Both take at most about 50 ms within the default limits.
 *
 * Supports drafts 2020-12, 2019-09 and 07, by `$schema`, else by the keywords. Differences from the
 * specification: `format` is asserted for `date`, `time`, `date-time`, `duration`, `email`,
 * `hostname`, `ipv4`, `ipv6`, `uri`, `uri-reference`, `uuid`, `json-pointer`,
 * `relative-json-pointer` and `regex`, others are annotations. `multipleOf` is exact in decimals.
 * Keywords of other drafts keep their meaning if they contradict nothing. References to metaschemas
 * are remote. Compiled schemas are cached, so that the same schema costs a few microseconds the
 * next time.
 *
 * @throws SchemaError `too-large | too-deep | too-many-nodes | remote-reference | pattern |
 *   invalid`, with the path in the schema
 * @throws UsageError `invalid-option` for an invalid limit
 * @example
 * ```ts
 * const validator = compileJsonSchema({ type: 'object', required: ['title'] }, { maxBytes: 16_384 });
 * const result = validator.validate(JSON.parse(text));
 * if (!result.valid) console.error(result.issues);
 * ```
 */
export function compileJsonSchema(schema: JsonSchema, limits: SchemaLimits = {}): JsonSchemaValidator {
  const allLimits = normalizeSchemaLimits(limits);
  const compiled = guardStack(() => compileCached(schema, allLimits));
  return {
    dialect: compiled.rules.dialect,
    validate: (value) => validate(compiled, value, allLimits),
  };
}

function compileCached(schema: JsonSchema, limits: Required<SchemaLimits>): CompiledSchema {
  const key = readSchema(schema, limits);
  return CACHE.getOrMake(key, () => compileDocument(parseSchemaText(key)));
}

/** Verdict of one validation without issues, and its units of work. */
interface CheckedValue {
  /** False also for a schema that is refused, and for a validation that exceeds its limits. */
  readonly isValid: boolean;
  readonly work: number;
}

/** Checks a value against an untrusted schema, within `maxWork` units. */
export function checkJsonValue(schema: JsonSchema, value: unknown, maxWork: number): CheckedValue {
  const limits = { ...normalizeSchemaLimits({}), maxWork };
  let run: ValidationRun | undefined;
  try {
    const isValid = guardStack(() => {
      const compiled = compileCached(schema, limits);
      const started = startRun(compiled, limits, true);
      run = started;
      return applySchema(compiled.root, value, started);
    });
    return { isValid, work: run?.spent ?? 0 };
  } catch (error) {
    if (!SchemaError.isInstance(error)) throw error;
    return { isValid: false, work: run?.spent ?? maxWork };
  }
}

/**
 * A first run without issues decides the verdict. Only an invalid value needs a second run that
 * collects issues. The limits of that run never change the verdict.
 */
function validate(
  compiled: CompiledSchema,
  value: unknown,
  limits: Required<SchemaLimits>,
): JsonSchemaResult {
  const decision = startRun(compiled, limits, true);
  if (guardStack(() => applySchema(compiled.root, value, decision))) return { valid: true };
  const explanation = startRun(compiled, limits, false);
  try {
    guardStack(() => applySchema(compiled.root, value, explanation));
  } catch (error) {
    if (!SchemaError.isInstance(error)) throw error;
  }
  const issues = explanation.issues.map(({ path, message }) => ({ path, message }));
  return {
    valid: false,
    issues: issues.length > 0 ? issues : [{ path: [], message: 'Expected a value that matches the schema' }],
  };
}

function startRun(
  compiled: CompiledSchema,
  { maxWork, maxDepth }: Required<SchemaLimits>,
  isQuiet: boolean,
): ValidationRun {
  return new ValidationRun({
    maxWork,
    maxDepth: maxDepth * APPLICATIONS_PER_DEPTH,
    isQuiet,
    tracksScope: compiled.isDynamic,
  });
}

/** The depth limits keep the stack small, unless the caller has already filled it. */
function guardStack<TResult>(work: () => TResult): TResult {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new SchemaError(
      'The call stack is too small for the depth of the schema or the value. Call with a shallower stack, or lower `maxDepth`.',
      {
        code: 'too-deep',
        path: [],
        cause,
      },
    );
  }
}
