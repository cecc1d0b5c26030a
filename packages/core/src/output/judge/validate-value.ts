/** Value validation: the verdict of an answer's definition on a value, without repairs. Pure. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Issue } from '../../kit/issue.ts';
import { SchemaError } from '../../errors/schema-error.ts';
import type { AnyOutputDefinition } from '../definition/definition.ts';
import { wordIn } from '../definition/output-kinds.ts';
import { normalizeIssues, validateBySchema } from './validate-by-schema.ts';

/** Verdict of a schema on a value. `failed` is the exception of a validator. */
export type Verdict = { readonly type: 'accepted'; readonly value: unknown } | NegativeVerdict;

/** Verdict on a value that is not accepted. */
export type NegativeVerdict =
  | { readonly type: 'rejected'; readonly issues: readonly Issue[]; readonly cause: unknown }
  | { readonly type: 'failed'; readonly cause: unknown };

/** Elements of an array that were validated while it was written. */
export interface KnownElements {
  /** Returns the validated element at an index, if it was written as `item` is. */
  at(index: number, item: unknown): KnownElement | undefined;
}

/** Result of the schema for a known element. */
export interface KnownElement {
  readonly value: unknown;
  readonly issues?: undefined;
}

/**
 * Validates a value. Never rejects.
 *
 * @param known - elements that are not validated again
 */
export async function validateValue(
  value: unknown,
  definition: AnyOutputDefinition,
  known?: KnownElements,
): Promise<Verdict> {
  try {
    return await ruleOn(value, definition, known);
  } catch (cause) {
    return verdictOf(cause);
  }
}

/** Validates one element of an array, as a part of it: issues begin with its index. Never rejects. */
export async function validateElement(
  item: unknown,
  index: number,
  element: StandardSchemaV1,
): Promise<Verdict> {
  try {
    const result = await validateBySchema(element, item);
    if (result.issues === undefined) return { type: 'accepted', value: result.value };
    return { type: 'rejected', ...issuesAt(result.issues, index) };
  } catch (cause) {
    return verdictOf(cause);
  }
}

/**
 * Returns the verdict for an exception. The depth limit is a problem of the answer, and a retry can fix
 * it. It is not a fault of the schema.
 */
export function verdictOf(cause: unknown): NegativeVerdict {
  if (!SchemaError.isInstance(cause) || cause.code !== 'too-deep') return { type: 'failed', cause };
  const issues = [{ path: cause.path, message: 'Expected a value with less nesting. Send a flatter answer' }];
  return { type: 'rejected', issues, cause };
}

async function ruleOn(
  value: unknown,
  definition: AnyOutputDefinition,
  known: KnownElements | undefined,
): Promise<Verdict> {
  switch (definition._tag) {
    case 'string':
      return typeof value === 'string' ? { type: 'accepted', value } : reject('Expected a string');
    case 'json':
      return { type: 'accepted', value };
    case 'choice':
      return validateChoice(value, definition.options);
    case 'object': {
      const result = await validateBySchema(definition.schema, value);
      if (result.issues === undefined) return { type: 'accepted', value: result.value };
      return { type: 'rejected', issues: normalizeIssues(result.issues), cause: result.issues };
    }
    case 'array':
      return validateArray(value, definition.element, known);
    default:
      return definition satisfies never;
  }
}

function validateChoice(value: unknown, options: readonly string[]): Verdict {
  const choice = typeof value === 'string' ? wordIn(value, options) : undefined;
  if (choice !== undefined) return { type: 'accepted', value: choice };
  return reject(`Expected one of ${options.map((option) => JSON.stringify(option)).join(', ')}`);
}

async function validateArray(
  value: unknown,
  element: StandardSchemaV1,
  known: KnownElements | undefined,
): Promise<Verdict> {
  if (!Array.isArray(value)) return reject('Expected an array');
  const values: unknown[] = [];
  const issues: Issue[] = [];
  const cause: StandardSchemaV1.Issue[] = [];
  for (const [index, item] of value.entries()) {
    const earlier = known?.at(index, item);
    const validated = earlier ?? validateBySchema(element, item);
    // An unnecessary await would cost more than the validation.
    const result = 'then' in validated ? await validated : validated;
    if (result.issues === undefined) values.push(result.value);
    else {
      const found = issuesAt(result.issues, index);
      for (const issue of found.issues) issues.push(issue);
      for (const issue of found.cause) cause.push(issue);
    }
  }
  return issues.length === 0 ? { type: 'accepted', value: values } : { type: 'rejected', issues, cause };
}

/** Returns the issues of an element, with its index before their paths. There is at least one. */
function issuesAt(
  found: readonly StandardSchemaV1.Issue[],
  index: number,
): { readonly issues: readonly Issue[]; readonly cause: readonly StandardSchemaV1.Issue[] } {
  const issues = normalizeIssues(found, [index]);
  return {
    issues: issues.length > 0 ? issues : [{ path: [index], message: 'Rejected without a reason' }],
    cause: found.map((issue) => atIndex(issue, index)),
  };
}

/** The validator's issue, with the element's index before its own path, as in `issues`. */
function atIndex(issue: StandardSchemaV1.Issue, index: number): StandardSchemaV1.Issue {
  // A validator's issue can be an instance whose message is a getter of the class.
  return { ...issue, message: issue.message, path: [index, ...(issue.path ?? [])] };
}

function reject(message: string): Verdict {
  const issues = [{ path: [], message }];
  return { type: 'rejected', issues, cause: issues };
}
