/**
 * Schema validation: calls a Standard Schema. Uses Zod's own asynchronous mode if a check can be
 * asynchronous.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { hasCustomRules } from '../../schema/zod-definition.ts';

type Result = StandardSchemaV1.Result<unknown>;

/** Zod schemas, and whether one of their checks can be asynchronous. */
const mayWait = new WeakMap<object, boolean>();

/**
 * Validates a value.
 *
 * Zod tries a synchronous run first and abandons the promises of its checks. If one rejects, no
 * handler sees it and the process ends. A schema with custom checks is therefore validated by
 * `safeParseAsync`, which runs them once.
 */
export function validateBySchema(schema: StandardSchemaV1, value: unknown): Result | Promise<Result> {
  const parse = asyncParserOf(schema);
  return parse === undefined ? schema['~standard'].validate(value) : parse(value);
}

function asyncParserOf(schema: StandardSchemaV1): ((value: unknown) => Promise<Result>) | undefined {
  if (schema['~standard'].vendor !== 'zod' || !('safeParseAsync' in schema)) return undefined;
  const { safeParseAsync } = schema;
  if (typeof safeParseAsync !== 'function' || !mayBeAsynchronous(schema)) return undefined;
  return async (value) => toResult(await Reflect.apply(safeParseAsync, schema, [value]));
}

/** Only a custom rule can be asynchronous. */
function mayBeAsynchronous(schema: StandardSchemaV1): boolean {
  const known = mayWait.get(schema);
  if (known !== undefined) return known;
  const found = hasCustomRules(schema);
  mayWait.set(schema, found);
  return found;
}

/** Converts Zod's own result to the form of Standard Schema. */
function toResult(parsed: unknown): Result {
  if (typeof parsed !== 'object' || parsed === null) return { issues: [{ message: 'No result' }] };
  if ('success' in parsed && parsed.success === true) return { value: Reflect.get(parsed, 'data') };
  const error: unknown = Reflect.get(parsed, 'error');
  const issues: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'issues') : [];
  return { issues: issues as readonly StandardSchemaV1.Issue[] };
}
