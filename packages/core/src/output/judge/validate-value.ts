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

/** Validates a value. Never rejects. */
export async function validateValue(value: unknown, definition: AnyOutputDefinition): Promise<Verdict> {
  try {
    return await ruleOn(value, definition);
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

async function ruleOn(value: unknown, definition: AnyOutputDefinition): Promise<Verdict> {
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
      return validateArray(value, definition.element);
    default:
      return definition satisfies never;
  }
}

function validateChoice(value: unknown, options: readonly string[]): Verdict {
  const choice = typeof value === 'string' ? wordIn(value, options) : undefined;
  if (choice !== undefined) return { type: 'accepted', value: choice };
  return reject(`Expected one of ${options.map((option) => JSON.stringify(option)).join(', ')}`);
}

async function validateArray(value: unknown, element: StandardSchemaV1): Promise<Verdict> {
  if (!Array.isArray(value)) return reject('Expected an array');
  const values: unknown[] = [];
  const issues: Issue[] = [];
  const cause: StandardSchemaV1.Issue[] = [];
  for (const [index, item] of value.entries()) {
    const validated = validateBySchema(element, item);
    // An unnecessary await would cost more than the validation.
    const result = 'then' in validated ? await validated : validated;
    if (result.issues === undefined) values.push(result.value);
    else {
      for (const issue of normalizeIssues(result.issues, [index])) issues.push(issue);
      for (const issue of result.issues) cause.push(atIndex(issue, index));
    }
    if (result.issues?.length === 0) issues.push({ path: [index], message: 'Rejected without a reason' });
  }
  return issues.length === 0 ? { type: 'accepted', value: values } : { type: 'rejected', issues, cause };
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
