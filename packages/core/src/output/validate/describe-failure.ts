/**
 * Failure description for a model: explains the faults in its answer, in few tokens. Pure.
 */
import { clip, cut, describeValue, MAX_SHOWN_CHARS } from '../../kit/describe-value.ts';
import { UsageError, assertKind } from '../../errors/usage-error.ts';
import type { Issue } from '../../kit/issue.ts';
import { StructuredOutputError } from '../../errors/structured-output-error.ts';
import { parseJson } from '../../json/parse-json.ts';
import { showPath, valueAt } from '../../json/show-path.ts';
import { unwrapFence } from '../scan/json-reader.ts';

/** Level of detail of a description. */
export interface DescribeFailureOptions {
  /** Number of issues to list; the rest is only counted. @default 20 */
  readonly maxIssues?: number;
  /** Maximum length of the whole text, in UTF-16 units. @default 2000 */
  readonly maxChars?: number;
  /** Shows the value at each issue's path, truncated. @default true */
  readonly values?: boolean;
  /** Retries that remain after the one that this text starts. @default not shown */
  readonly retriesLeft?: number;
  /**
   * Instruction at the end. @default to send only the corrected answer, without redoing the work
   */
  readonly instruction?: string;
}

const MAX_VALUE_CHARS = 60;
const MAX_PATH_CHARS = 120;

/**
 * Describes a failed answer to the model that gave it: the errors with their paths, and what to
 * send now.
 *
 * Never repeats the whole answer. Never longer than `maxChars`. If it is too long, the description
 * is cut, and the instruction at its end is kept as long as there is room for it.
 *
 * @example
 * ```ts
 * const result = await safeExtractOutput(text, Output.json({ tag: 'result' }));
 * if (!result.success) console.log(describeFailure(result.error, { retriesLeft: 1 }));
 * ```
 */
export function describeFailure(error: StructuredOutputError, options: DescribeFailureOptions = {}): string {
  if (!StructuredOutputError.isInstance(error)) {
    throw new UsageError(
      `Expected \`error\` to be a StructuredOutputError, got ${describeValue(error)}. Pass the \`error\` of \`safeExtractOutput()\`.`,
    );
  }
  assertKind(options, 'an object', 'options', 'Pass options, or leave them out.');
  const { maxIssues = 20, maxChars = 2_000, values = true, retriesLeft } = options;
  const instruction = options.instruction ?? describeNext(error, retriesLeft);
  const room = maxChars - instruction.length - 1;
  if (room <= 0) return maxChars > 0 ? clip(instruction, maxChars) : '';
  const problem = [describeProblem(error), ...describeIssues(error, maxIssues, values)].join('\n');
  return `${clip(problem, room)}\n${instruction}`;
}

function describeProblem(error: StructuredOutputError): string {
  const { code, tag } = error;
  const where = tag === undefined ? 'Your answer' : `Your answer in <${tag}>`;
  switch (code) {
    case 'tag-not-found':
      return `What you said holds no answer between <${tag}> and </${tag}>.`;
    case 'not-produced':
      return 'You ended without the structured answer that was asked for.';
    case 'invalid-json':
      return `${where} is not valid JSON: ${cut(reasonOf(error))}.${isProse(error) ? MENTIONED : ''}`;
    case 'truncated':
      return `${where} was begun and not closed. If it was too long, send a shorter one.`;
    case 'runaway':
      return `${where} repeated itself without end.`;
    case 'too-large':
      return `${where} is too large; send a shorter one.`;
    case 'schema-mismatch':
      return `${where} does not fit its schema:`;
    case 'ambiguous':
      return 'Your reply holds several different answers; send exactly one.';
    case 'validator-error':
      return `${where} could not be checked.`;
    case 'check-failed':
      return `${where} fits its schema, but the check of your final commit failed:`;
    case 'secret-in-output':
      return `${where} holds a secret, which it must not.`;
    case 'restarted':
      return `${where} changed elements that were given before.`;
    default:
      return code satisfies never;
  }
}

/** Two mentions of the tag in prose are read as an answer between them. */
const MENTIONED =
  ' It is prose, so a mention of the tag was read as the answer. Write the tag only around the answer.';

/** Returns true if the text begins as no JSON value does, such as with a word. */
function isProse({ tag, rawMatched }: StructuredOutputError): boolean {
  const text = rawMatched === undefined ? '' : unwrapFence(rawMatched).trim();
  return tag !== undefined && /^(?!(?:true|false|null|NaN|Infinity|undefined)\b)[\p{L},.;:)]/u.test(text);
}

/** The engine's own message would echo the answer, differently in each engine. */
function reasonOf({ rawMatched, cause }: StructuredOutputError): string {
  const parsed = rawMatched === undefined ? undefined : parseJson(unwrapFence(rawMatched));
  if (parsed?.success === false) return parsed.reason;
  return cause instanceof Error ? cause.message : 'it cannot be parsed';
}

function describeIssues(
  { code, issues, rawMatched }: StructuredOutputError,
  maxIssues: number,
  values: boolean,
): string[] {
  if (code !== 'schema-mismatch' && code !== 'check-failed') return [];
  const root = values && rawMatched !== undefined ? valueOf(rawMatched) : undefined;
  const lines = issues.slice(0, maxIssues).map(({ path, message }) => {
    const value = showValueAt(root, path);
    return `- ${clip(showPath(path), MAX_PATH_CHARS)}: ${clip(message.replaceAll(/\s+/gu, ' '), MAX_SHOWN_CHARS)}${value === undefined ? '' : ` (got ${value})`}`;
  });
  return issues.length > maxIssues ? [...lines, `- … and ${issues.length - maxIssues} more`] : lines;
}

/** A bare choice is not JSON: the text is the value. */
function valueOf(raw: string): unknown {
  const text = unwrapFence(raw);
  const parsed = parseJson(text);
  return parsed.success ? parsed.value : text;
}

/** A container is only named, because its content can be the whole answer. */
function showValueAt(root: unknown, path: Issue['path']): string | undefined {
  const value = valueAt(root, path);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  // Truncated before it is quoted. Otherwise quoting a long text would cost its whole length for
  // each issue.
  const shown = JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_VALUE_CHARS) : value);
  return shown === undefined ? undefined : clip(shown, MAX_VALUE_CHARS);
}

function describeNext({ tag }: StructuredOutputError, retriesLeft: number | undefined): string {
  const left = retriesLeft === undefined ? '' : ` Tries left after this one: ${retriesLeft}.`;
  const form =
    tag === undefined
      ? 'the corrected structured answer'
      : `the whole corrected answer between <${tag}> and </${tag}>`;
  return `Send only ${form}. Do not redo the work: change no files and run no commands, unless a value is missing.${left}`;
}
