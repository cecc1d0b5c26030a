/** Owns judging an answer, as text or as a value a route brought: by its definition, and by labelled repairs where the route allows them. Pure. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { afterReasoning } from './after-reasoning.ts';
import type { Issue } from '../errors/issue.ts';
import { invalidJsonError, mismatchError, validatorError } from './answer-errors.ts';
import type { AnyOutputDefinition, InferOutput } from './definition.ts';
import { isPromiseLike } from './is-promise-like.ts';
import { normalizeIssues } from './normalize-issues.ts';
import { parseJson, refuseDangerousKeys } from './parse-json.ts';
import type { Provenance, Repair, Route } from './provenance.ts';
import type { SafeExtractResult } from './safe-extract-result.ts';
import { schemaHashOf } from './schema-hash.ts';
import { undoEnvelopes } from './undo-envelopes.ts';
import { unwrapFence } from './unwrap-fence.ts';

/** How a value came to be judged. */
export interface AnswerOrigin {
  readonly route: Route;
  readonly span?: Provenance['span'];
  readonly unclosedTagAfterMatch?: boolean;
  /** Turns the parsed answer back into the form that the definition speaks of, before it is validated. */
  readonly inverse?: (value: unknown) => unknown;
  /** What was undone before the value was found. */
  readonly repairs?: readonly Repair[];
}

/** What a definition says of a value. */
type Verdict =
  | { readonly type: 'accepted'; readonly value: unknown }
  | { readonly type: 'rejected'; readonly issues: readonly Issue[]; readonly cause: unknown };

/**
 * Judges the text of an answer: trims it, unwraps one fence, parses, validates.
 *
 * A text that is none as it stands is judged without the reasoning before it, as a labelled repair; never on the tag route.
 *
 * Never rejects: whatever a validator throws is a `validator-error`.
 */
export async function safeParseAnswer<TDefinition extends AnyOutputDefinition>(
  raw: string,
  definition: TDefinition,
  origin: AnswerOrigin,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  const isText = definition._tag === 'string' || definition._tag === 'choice';
  const spoken = origin.route === 'tag' ? [] : afterReasoning(raw);
  const repaired = { ...origin, repairs: [{ kind: 'dropped-reasoning', path: [] }] };
  if (isText && origin.inverse === undefined) {
    const options = definition._tag === 'choice' ? definition.options : [];
    const said = spoken.map((text) => text.trim()).find((text) => choiceOf(text, options) !== undefined);
    return said === undefined
      ? judge(raw.trim(), raw, definition, origin)
      : judge(said, raw, definition, repaired);
  }
  const parsed = parseJson(unwrapFence(raw));
  if (parsed.success) return judge(parsed.value, raw, definition, origin);
  for (const text of spoken) {
    const answer = parseJson(unwrapFence(text));
    if (answer.success) return judge(answer.value, raw, definition, repaired);
  }
  return { success: false, error: invalidJsonError(definition, raw, parsed) };
}

/**
 * Judges a value that a route brought as such; `raw` is its JSON text.
 *
 * Never rejects; a key that could reach a prototype is refused here too.
 */
export async function safeValidateAnswer<TDefinition extends AnyOutputDefinition>(
  value: unknown,
  definition: TDefinition,
  { raw, ...origin }: AnswerOrigin & { readonly raw: string },
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  const screened = refuseDangerousKeys(value, raw);
  if (!screened.success) return { success: false, error: invalidJsonError(definition, raw, screened) };
  return judge(value, raw, definition, origin);
}

/** Returns the option that `text` is, bare or as a JSON string. */
export function choiceOf(text: string, options: readonly string[]): string | undefined {
  if (options.includes(text)) return text;
  const parsed = text.startsWith('"') ? parseJson(text) : undefined;
  const value = parsed?.success === true ? parsed.value : undefined;
  return typeof value === 'string' && options.includes(value) ? value : undefined;
}

async function judge<TDefinition extends AnyOutputDefinition>(
  value: unknown,
  raw: string,
  definition: TDefinition,
  origin: AnswerOrigin,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  try {
    const inverse = origin.inverse ?? ((same: unknown): unknown => same);
    const verdict = await validate(inverse(value), definition);
    const undone = origin.repairs ?? [];
    if (verdict.type === 'accepted') return await accept(verdict.value, raw, undone, definition, origin);
    const repaired = origin.route === 'tag' ? undefined : await repair(value, definition, inverse);
    if (repaired !== undefined)
      return await accept(repaired.value, raw, [...undone, ...repaired.repairs], definition, origin);
    return { success: false, error: mismatchError(definition, raw, verdict) };
  } catch (cause) {
    return { success: false, error: validatorError(definition, raw, cause) };
  }
}

async function accept<TDefinition extends AnyOutputDefinition>(
  value: unknown,
  raw: string,
  repairs: readonly Repair[],
  definition: TDefinition,
  { route, span, unclosedTagAfterMatch }: AnswerOrigin,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  const schemaHash = await schemaHashOf(definition);
  const provenance: Provenance = {
    route,
    attempts: [{ code: 'ok', message: 'The answer is valid.', rawMatched: raw }],
    raw,
    repairs,
    ...(span !== undefined && { span }),
    ...(schemaHash !== undefined && { schemaHash }),
    ...(unclosedTagAfterMatch === true && { unclosedTagAfterMatch }),
  };
  // The definition's own schema has accepted the value: this is the one place where its type is given.
  return { success: true, value: value as InferOutput<TDefinition>, provenance };
}

async function validate(value: unknown, definition: AnyOutputDefinition): Promise<Verdict> {
  switch (definition._tag) {
    case 'string':
      return typeof value === 'string' ? { type: 'accepted', value } : reject('Expected a string');
    case 'json':
      return { type: 'accepted', value };
    case 'choice':
      return validateChoice(value, definition.options);
    case 'object': {
      const result = await definition.schema['~standard'].validate(value);
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
  const choice = typeof value === 'string' ? choiceOf(value, options) : undefined;
  if (choice !== undefined) return { type: 'accepted', value: choice };
  return reject(`Expected one of ${options.map((option) => JSON.stringify(option)).join(', ')}`);
}

async function validateArray(value: unknown, element: StandardSchemaV1): Promise<Verdict> {
  if (!Array.isArray(value)) return reject('Expected an array');
  const values: unknown[] = [];
  const issues: Issue[] = [];
  const cause: StandardSchemaV1.Issue[] = [];
  for (const [index, item] of value.entries()) {
    const validated = element['~standard'].validate(item);
    // Waiting where there is nothing to wait for would cost more than validating.
    const result = isPromiseLike(validated) ? await validated : validated;
    if (result.issues === undefined) values.push(result.value);
    else {
      for (const issue of normalizeIssues(result.issues, [index])) issues.push(issue);
      for (const issue of result.issues) cause.push(issue);
    }
    if (result.issues?.length === 0) issues.push({ path: [index], message: 'Rejected without a reason' });
  }
  return issues.length === 0 ? { type: 'accepted', value: values } : { type: 'rejected', issues, cause };
}

function reject(message: string): Verdict {
  const issues = [{ path: [], message }];
  return { type: 'rejected', issues, cause: issues };
}

/** Takes the first value inside of known envelopes that the definition accepts. */
async function repair(
  value: unknown,
  definition: AnyOutputDefinition,
  inverse: (value: unknown) => unknown,
): Promise<{ readonly value: unknown; readonly repairs: readonly Repair[] } | undefined> {
  for (const { inner, repairs } of undoEnvelopes(value)) {
    try {
      const verdict = await validate(inverse(inner), definition);
      if (verdict.type === 'accepted') return { value: verdict.value, repairs };
    } catch {
      // The value as it stands was judged without throwing; a guess that the schema cannot take is no repair.
    }
  }
  return undefined;
}
