/** Owns the text by which a model is told what was wrong with its answer, in as few tokens as will do. Pure. */
import { cut } from '../errors/describe-value.ts';
import type { Issue } from '../errors/issue.ts';
import type { StructuredOutputError } from '../errors/structured-output-error.ts';
import { showPath } from './answer-errors.ts';
import { parseJson } from './parse-json.ts';
import { unwrapFence } from './unwrap-fence.ts';

/** How much a failure is described. */
export interface DescribeFailureOptions {
  /** @default 20 */
  readonly maxIssues?: number;
  /** Length of the whole text, in UTF-16 units. @default 2000 */
  readonly maxChars?: number;
  /** Shows the value at each issue's path, cut short. @default true */
  readonly values?: boolean;
  /** Tries that are left after the one that this text begins. */
  readonly retriesLeft?: number;
}

const MAX_VALUE_CHARS = 60;

/**
 * Describes a failed answer to the model that gave it: what was wrong and where, and what to send now.
 *
 * Never repeats the whole answer; always ends with the instruction, whatever had to be cut.
 *
 * @example
 * ```ts
 * const result = await safeExtractOutput(text, Output.json({ tag: 'result' }));
 * if (!result.success) console.log(describeFailure(result.error, { retriesLeft: 1 }));
 * ```
 */
export function describeFailure(error: StructuredOutputError, options: DescribeFailureOptions = {}): string {
  const { maxIssues = 20, maxChars = 2_000, values = true, retriesLeft } = options;
  const instruction = describeNext(error, retriesLeft);
  const problem = [describeProblem(error), ...describeIssues(error, maxIssues, values)].join('\n');
  const room = Math.max(0, maxChars - instruction.length - 1);
  const shown = problem.length > room ? `${problem.slice(0, Math.max(0, room - 1))}…` : problem;
  return `${shown}\n${instruction}`.slice(-maxChars);
}

function describeProblem({ code, tag, message, cause }: StructuredOutputError): string {
  const where = tag === undefined ? 'Your answer' : `Your answer in <${tag}>`;
  switch (code) {
    case 'tag-not-found':
      return `No answer between <${tag}> and </${tag}> was found in what you said.`;
    case 'not-produced':
      return 'You ended without the structured answer that was asked for.';
    case 'invalid-json':
      return `${where} is not valid JSON: ${cut(positionOf(message, cause))}.`;
    case 'truncated':
      return `${where} was begun and not closed.`;
    case 'too-large':
      return `${where} is too large.`;
    case 'schema-mismatch':
      return `${where} does not fit its schema:`;
    case 'validator-error':
      return `${where} could not be checked.`;
    default:
      return code satisfies never;
  }
}

/** The reason stands in the error's message after what came; the engine's own message would echo the answer. */
function positionOf(message: string, cause: unknown): string {
  const reason = /`: (.*?)\. Set `maxRetries`/su.exec(message)?.[1];
  return reason ?? (cause instanceof Error ? cause.message : 'it cannot be parsed');
}

function describeIssues(
  { code, issues, rawMatched }: StructuredOutputError,
  maxIssues: number,
  values: boolean,
): string[] {
  if (code !== 'schema-mismatch') return [];
  const parsed = values && rawMatched !== undefined ? parseJson(unwrapFence(rawMatched)) : undefined;
  const lines = issues.slice(0, maxIssues).map(({ path, message }) => {
    const value = parsed?.success === true ? valueAt(parsed.value, path) : undefined;
    return `- ${showPath(path)}: ${cut(message)}${value === undefined ? '' : ` (got ${value})`}`;
  });
  return issues.length > maxIssues ? [...lines, `- … and ${issues.length - maxIssues} more`] : lines;
}

/** Only a value below the root is shown: the root is the answer itself. */
function valueAt(root: unknown, path: Issue['path']): string | undefined {
  if (path.length === 0) return undefined;
  let value: unknown = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  const text =
    typeof value === 'object' && value !== null
      ? Array.isArray(value)
        ? 'an array'
        : 'an object'
      : JSON.stringify(value);
  return text === undefined ? undefined : cut(text, MAX_VALUE_CHARS);
}

function describeNext({ tag }: StructuredOutputError, retriesLeft: number | undefined): string {
  const left = retriesLeft === undefined ? '' : ` Tries left after this one: ${retriesLeft}.`;
  const form =
    tag === undefined
      ? 'the corrected structured answer'
      : `the whole corrected answer between <${tag}> and </${tag}>`;
  return `Send only ${form}. Do not redo the work: change no files and run no commands, unless a value is missing.${left}`;
}
