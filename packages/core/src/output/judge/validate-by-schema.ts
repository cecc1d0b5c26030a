/**
 * Schema validation: calls a Standard Schema, and converts the issues of any library to one shape and
 * a stable order. Uses Zod's own asynchronous mode if a check can be asynchronous.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Issue } from '../../kit/issue.ts';
import { hasCustomRules } from '../../schema/zod-definition.ts';

type Result = StandardSchemaV1.Result<unknown>;

type Parse = (value: unknown) => Result | Promise<Result>;

const parsers = new WeakMap<StandardSchemaV1, Parse>();

/**
 * Validates a value.
 *
 * Zod tries a synchronous run first and abandons the promises of the checks. If one rejects, no
 * handler sees it and the process ends. A schema with custom checks is therefore validated by
 * `safeParseAsync`, which runs them once.
 */
export function validateBySchema(schema: StandardSchemaV1, value: unknown): Result | Promise<Result> {
  const parse = parsers.get(schema) ?? parserOf(schema);
  parsers.set(schema, parse);
  return parse(value);
}

function parserOf(schema: StandardSchemaV1): Parse {
  const { vendor, validate } = schema['~standard'];
  const safeParseAsync: unknown = vendor === 'zod' ? Reflect.get(schema, 'safeParseAsync') : undefined;
  // Only a custom rule can be asynchronous.
  if (typeof safeParseAsync !== 'function' || !hasCustomRules(schema)) return validate;
  return async (value) => toResult(await Reflect.apply(safeParseAsync, schema, [value]));
}

/** Converts Zod's own result to the form of Standard Schema. */
function toResult(parsed: unknown): Result {
  if (typeof parsed !== 'object' || parsed === null) return { issues: [{ message: 'No result' }] };
  if ('success' in parsed && parsed.success === true) return { value: Reflect.get(parsed, 'data') };
  const error: unknown = Reflect.get(parsed, 'error');
  const issues: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'issues') : [];
  return { issues: issues as readonly StandardSchemaV1.Issue[] };
}

/**
 * Returns the issues ordered by path, under `prefix`.
 *
 * Indexes come before names and in numeric order, names in the order of UTF-16 units, and a path
 * before its children. Issues of one path keep their order.
 */
export function normalizeIssues(
  issues: readonly StandardSchemaV1.Issue[],
  prefix: Issue['path'] = [],
): Issue[] {
  return issues
    .map(({ path = [], message }) => ({ path: [...prefix, ...path.map(toKey)], message }))
    .toSorted(byPath);
}

function toKey(segment: PropertyKey | StandardSchemaV1.PathSegment): string | number {
  const key = typeof segment === 'object' ? segment.key : segment;
  return typeof key === 'symbol' ? (key.description ?? '') : key;
}

function byPath({ path: one }: Issue, { path: other }: Issue): number {
  for (const [index, key] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    if (key !== against) return compareKeys(key, against);
  }
  return one.length - other.length;
}

/**
 * Numbers and names are never compared with each other. An order that depended on the pair would be
 * inconsistent.
 */
function compareKeys(key: string | number, against: string | number): number {
  if (typeof key === 'number' && typeof against === 'number') return key - against;
  if (typeof key === 'number') return -1;
  if (typeof against === 'number') return 1;
  return key < against ? -1 : 1;
}
