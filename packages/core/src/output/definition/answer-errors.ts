/** Errors and attempt records of an answer: the expected and the received value, and the next step. Pure. */
import type { Attempt } from '../../errors/base/run-evidence.ts';
import { cut, describeValue } from '../../kit/describe-value.ts';
import type { Issue } from '../../kit/issue.ts';
import type { Usage } from '../../kit/usage.ts';
import {
  StructuredOutputError,
  type StructuredOutputErrorCode,
  type StructuredOutputErrorOptions,
} from '../../errors/structured-output-error.ts';
import { maxBytesOf } from './assert-output-options.ts';
import type { AnyOutputDefinition } from './definition.ts';
import type { SafeExtractResult } from './provenance.ts';
import { showPath } from '../../json/show-path.ts';

/** Why an answer is refused. */
export interface Refusal {
  readonly type: 'refused';
  readonly code: Extract<
    StructuredOutputErrorCode,
    | 'invalid-json'
    | 'schema-mismatch'
    | 'truncated'
    | 'runaway'
    | 'too-large'
    | 'ambiguous'
    | 'validator-error'
  >;
  /** The text that was judged. */
  readonly raw: string;
  readonly issues: readonly Issue[];
  /** Contains words of the model. */
  readonly reason: string;
  readonly cause: unknown;
  /** The limit or rule that screened arguments broke. */
  readonly problem?: string;
  readonly path?: readonly (string | number)[];
}

export function refusalError(definition: AnyOutputDefinition, refusal: Refusal): StructuredOutputError {
  const { code, raw } = refusal;
  if (code === 'schema-mismatch') return mismatchError(definition, refusal);
  if (code === 'validator-error') return validatorError(definition, refusal);
  const rawMatched = code === 'too-large' ? undefined : raw;
  return makeError(sentenceOf(refusal, definition), code, definition, rawMatched, { cause: refusal.cause });
}

function sentenceOf({ code, raw, reason }: Refusal, definition: AnyOutputDefinition): string {
  const where = whereIn(definition);
  switch (code) {
    case 'invalid-json':
      return `Expected JSON${where}, got invalid JSON ${showRaw(raw)}: ${cut(reason)}. Set \`maxCorrections\` to ask for a correction.`;
    case 'truncated':
      return `Expected an answer${where}, got one that was started and not closed: ${showRaw(raw)}. Raise the limit of output tokens, or ask for less.`;
    case 'too-large':
      return `Expected an answer${where} of at most ${maxBytesOf(definition)} bytes, got a larger one. Raise \`maxPayloadBytes\`, or ask for less.`;
    case 'runaway':
      return `Expected an answer${where}, got a reply that was ended because it runs away, with ${reason}: ${showRaw(raw)}. Set lengths in the schema, or set \`endRunaways: false\` if the repetition is right.`;
    default:
      return `Expected one answer${where}, got several: ${reason}. Set \`maxCorrections\` to ask for one, or request a list with \`Output.array\`.`;
  }
}

/** The definition rejects the value. */
export function mismatchError(
  definition: AnyOutputDefinition,
  { raw, issues, cause }: Pick<Refusal, 'raw' | 'issues' | 'cause'>,
): StructuredOutputError {
  const said = `Expected a valid answer${whereIn(definition)}, got ${showRaw(raw)}, which failed schema validation: ${showIssues(issues)}. Read \`issues\`, and set \`maxCorrections\` to ask for a correction.`;
  return makeError(said, 'schema-mismatch', definition, raw, { issues, cause });
}

/** The schema itself threw. */
export function validatorError(
  definition: AnyOutputDefinition,
  { raw, cause }: Pick<Refusal, 'raw' | 'cause'>,
): StructuredOutputError {
  const said = `Expected the schema to validate the answer${whereIn(definition)}, got an exception from it: ${describeValue(cause instanceof Error ? cause.message : cause)}. Fix the schema; \`cause\` is the exception.`;
  return makeError(said, 'validator-error', definition, raw, { cause });
}

function showIssues([first, ...others]: readonly Issue[]): string {
  const told =
    first === undefined ? 'it gave no reason' : cut(`at ${showPath(first.path)}: ${first.message}`);
  return others.length > 0 ? `${told} (and ${others.length} more)` : told;
}

/** The text contains no match. */
export function tagNotFoundError(definition: AnyOutputDefinition): StructuredOutputError {
  const said = `Expected an answer${whereIn(definition)}, got text without one. Show the tag in the prompt, or set \`maxCorrections\`.`;
  return makeError(said, 'tag-not-found', definition, undefined, {});
}

/** A later attempt differs from elements of an earlier one, which the caller has got. */
export function restartedError(definition: AnyOutputDefinition, index: number): StructuredOutputError {
  const said = `Expected the answer to begin with the elements that \`elements\` gave, got another one at [${index}] after a correction. Discard what the loop gave, and await the answer: its \`output\` is whole.`;
  return makeError(said, 'restarted', definition, undefined, {});
}

/** A mode without a tag ended without an answer. `message` is more specific than the default. */
export function notProducedError(
  definition: AnyOutputDefinition,
  { message }: { readonly message?: string } = {},
): StructuredOutputError {
  const said =
    message ??
    'Expected an answer in the schema mode, got none; the text is not searched instead. Set `maxCorrections`, or set `tag`.';
  return makeError(said, 'not-produced', definition, undefined, {});
}

/**
 * Returns the same failure, after more attempts than its own. Its message counts them, and names
 * `maxCorrections` only if none of the retries was used.
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
  const said = withoutRetryAdvice(message);
  const isAdvised = said !== message;
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
  const attempt = {
    code,
    message: line,
    ...(rawMatched !== undefined && { rawMatched }),
  };
  return new StructuredOutputError(line, { ...details, code, tag, rawMatched, attempts: [attempt] });
}

/** Returns the record of an accepted answer. `rawMatched` is its unchanged text. */
export function acceptedAttempt(rawMatched: string): Attempt {
  return { code: 'ok', message: 'The answer is valid.', rawMatched };
}

/** Returns the message without a last sentence about `maxCorrections`. An attempt can already be a retry. */
function withoutRetryAdvice(message: string): string {
  const at = message.lastIndexOf('. ') + 1;
  return at > 0 && message.slice(at).includes('`maxCorrections`') ? message.slice(0, at) : message;
}

/** Returns the record of a validated answer, with the usage of the calls if it is known. */
export function attemptOf(answer: SafeExtractResult<unknown>, usage?: Usage): Attempt {
  return { ...recordOf(answer), ...(usage !== undefined && { usage }) };
}

function recordOf(answer: SafeExtractResult<unknown>): Attempt {
  if (answer.success) return acceptedAttempt(answer.provenance.raw);
  const { code, message, rawMatched } = answer.error;
  return { code, message: withoutRetryAdvice(message), ...(rawMatched !== undefined && { rawMatched }) };
}
