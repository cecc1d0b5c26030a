/** Errors of an answer: what was expected, what was received, what to do next. Pure. */
import type { Attempt } from '../../errors/base/attempt.ts';
import { cut, describeValue } from '../../errors/base/describe-value.ts';
import type { Issue } from '../../errors/base/issue.ts';
import {
  StructuredOutputError,
  type StructuredOutputErrorCode,
  type StructuredOutputErrorOptions,
} from '../../errors/structured-output-error.ts';
import type { AnyOutputDefinition } from './definition.ts';
import { showPath } from '../json/show-path.ts';

/** The text of an answer is not JSON. */
export function invalidJsonError(
  definition: AnyOutputDefinition,
  raw: string,
  { cause, reason }: { readonly cause: unknown; readonly reason: string },
): StructuredOutputError {
  const said = `Expected JSON${whereIn(definition)}, got invalid JSON ${showRaw(raw)}: ${cut(reason)}. Set \`maxRetries\` to ask for a correction.`;
  return makeError(said, 'invalid-json', definition, raw, { cause });
}

/** The definition rejects the value. */
export function mismatchError(
  definition: AnyOutputDefinition,
  raw: string,
  { issues, cause }: { readonly issues: readonly Issue[]; readonly cause: unknown },
): StructuredOutputError {
  const [first] = issues;
  const told =
    first === undefined ? 'it gave no reason' : cut(`at ${showPath(first.path)}: ${first.message}`);
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const said = `Expected a valid answer${whereIn(definition)}, got ${showRaw(raw)}, which failed schema validation: ${told}${more}. Read \`issues\`, and set \`maxRetries\` to ask for a correction.`;
  return makeError(said, 'schema-mismatch', definition, raw, { issues, cause });
}

/** The schema itself threw. */
export function validatorError(
  definition: AnyOutputDefinition,
  raw: string,
  cause: unknown,
): StructuredOutputError {
  const said = `Expected the schema to validate the answer${whereIn(definition)}, got an exception from it: ${describeValue(cause instanceof Error ? cause.message : cause)}. Fix the schema; \`cause\` is the exception.`;
  return makeError(said, 'validator-error', definition, raw, { cause });
}

/** The text contains no match. */
export function tagNotFoundError(definition: AnyOutputDefinition): StructuredOutputError {
  const said = `Expected an answer${whereIn(definition)}, got text without one. Show the tag in the prompt, or set \`maxRetries\`.`;
  return makeError(said, 'tag-not-found', definition, undefined, {});
}

/** A value was started and never closed. */
export function truncatedError(definition: AnyOutputDefinition, raw: string): StructuredOutputError {
  const said = `Expected an answer${whereIn(definition)}, got one that was started and not closed: ${showRaw(raw)}. Raise the limit of output tokens, or ask for less.`;
  return makeError(said, 'truncated', definition, raw, {});
}

/** The answer is larger than the limit. */
export function tooLargeError(
  definition: AnyOutputDefinition,
  maxPayloadBytes: number,
): StructuredOutputError {
  const said = `Expected an answer${whereIn(definition)} of at most ${maxPayloadBytes} bytes, got a larger one. Raise \`maxPayloadBytes\`, or ask for less.`;
  return makeError(said, 'too-large', definition, undefined, {});
}

/** One reply contains several different answers. */
export function ambiguousError(
  definition: AnyOutputDefinition,
  raw: string,
  reason: string,
): StructuredOutputError {
  const said = `Expected one answer${whereIn(definition)}, got several: ${reason}. Set \`maxRetries\` to ask for one, or request a list with \`Output.array\`.`;
  return makeError(said, 'ambiguous', definition, raw, {});
}

/** A route without a tag ended without an answer. `message` is more specific than the default. */
export function notProducedError(
  definition: AnyOutputDefinition,
  { message }: { readonly message?: string } = {},
): StructuredOutputError {
  const said =
    message ??
    'Expected an answer in the schema mode, got none; the text is not searched instead. Set `maxRetries`, or set `tag`.';
  return makeError(said, 'not-produced', definition, undefined, {});
}

/**
 * Returns the same failure, after more attempts than its own. Its message counts them, and names
 * `maxRetries` only if none of its retries was used.
 *
 * @param note - why no further attempt was made, as one sentence
 */
export function withAttempts(
  error: StructuredOutputError,
  attempts: readonly Attempt[],
  note?: string,
): StructuredOutputError {
  const { code, tag, rawMatched, issues, cause } = error;
  return new StructuredOutputError(countedMessage(error.message, attempts.length, note), {
    code,
    tag,
    rawMatched,
    issues,
    cause,
    attempts: [...attempts],
  });
}

/** One sentence follows the failure, as in a message of one attempt. */
function countedMessage(message: string, attempts: number, note: string | undefined): string {
  if (attempts < 2 && note === undefined) return message;
  const at = message.lastIndexOf('. ') + 1;
  const isAdvised = at > 0 && message.slice(at).includes('`maxRetries`');
  const said = isAdvised ? message.slice(0, at) : message;
  if (note !== undefined) return `${said} ${note}`;
  const next = isAdvised ? ': read `attempts`, and correct the prompt or the schema' : '';
  return `${said} Refused ${attempts} times${next}.`;
}

function whereIn({ tag }: AnyOutputDefinition): string {
  return tag === undefined ? '' : ` between \`<${tag}>\` and \`</${tag}>\``;
}

function showRaw(raw: string): string {
  return `\`${cut(raw.trim())}\``;
}

function makeError(
  message: string,
  code: StructuredOutputErrorCode,
  { tag }: AnyOutputDefinition,
  rawMatched: string | undefined,
  details: Pick<StructuredOutputErrorOptions, 'cause' | 'issues'>,
): StructuredOutputError {
  const line = message.replaceAll(/\s+/gu, ' ');
  const attempt = { code, message: line, ...(rawMatched !== undefined && { rawMatched }) };
  return new StructuredOutputError(line, { ...details, code, tag, rawMatched, attempts: [attempt] });
}
