/**
 * Answer validation: checks text, or a value from a route, against its definition, with labelled
 * repairs. Pure.
 */
import { answerCandidates, type AnswerCandidate } from './after-reasoning.ts';
import { findInexact, findRounded } from '../../schema/json-text/find-inexact.ts';
import { acceptedAttempt } from '../definition/attempt-of.ts';
import { invalidJsonError, mismatchError } from '../definition/answer-errors.ts';
import type { AnyOutputDefinition, InferOutput } from '../definition/definition.ts';
import { refuseDangerousKeys } from '../json/bounded-json.ts';
import { parseJson } from '../json/parse-json.ts';
import type { Provenance, Repair, Route } from '../definition/provenance.ts';
import type { SafeExtractResult } from '../definition/safe-extract-result.ts';
import { schemaHashOf } from '../definition/schema-hash.ts';
import { showPath } from '../json/show-path.ts';
import { undoEnvelopes, type WrittenAnswer } from './undo-envelopes.ts';
import { unwrapFence } from '../json/unwrap-fence.ts';
import { choiceOf, exceptionError, validateValue } from './validate-value.ts';

/** Origin of the value to validate. */
export interface AnswerOrigin {
  readonly route: Route;
  readonly span?: Provenance['span'];
  readonly unclosedTagAfterMatch?: boolean;
  /** Converts the parsed answer back to the definition's form, before it is validated. */
  readonly inverse?: (value: unknown) => unknown;
  /** True if another program parsed the value. An integer above 2^53 can have been rounded. */
  readonly isParsedElsewhere?: boolean;
  /** Repairs that were made before the value was found. */
  readonly repairs?: readonly Repair[];
}

/**
 * Validates the text of an answer: trims it, unwraps one fence, parses, validates.
 *
 * If the whole text is not an answer, the text without its reasoning and its template's marks is
 * tried, as a labelled repair. Never on the tag route.
 *
 * Never rejects: an exception of a validator becomes a `validator-error`.
 */
export async function safeParseAnswer<TDefinition extends AnyOutputDefinition>(
  raw: string,
  definition: TDefinition,
  origin: AnswerOrigin,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  const isText = definition._tag === 'string' || definition._tag === 'choice';
  const candidates = origin.route === 'tag' ? [] : answerCandidates(raw);
  if (isText && origin.inverse === undefined) {
    const options = definition._tag === 'choice' ? definition.options : [];
    const said = candidates.find(({ text }) => choiceOf(text.trim(), options) !== undefined);
    return said === undefined
      ? judge(textAnswer(raw.trim()), raw, definition, origin)
      : judge(textAnswer(said.text.trim()), raw, definition, repairedBy(origin, said.repair));
  }
  const body = unwrapFence(raw);
  const parsed = parseJson(body);
  if (parsed.success) return judgeExact({ value: parsed.value, text: body }, raw, definition, origin);
  for (const { text, repair } of candidates) {
    const inner = unwrapFence(text);
    const answer = parseJson(inner);
    if (answer.success)
      return judgeExact({ value: answer.value, text: inner }, raw, definition, repairedBy(origin, repair));
  }
  return { success: false, error: invalidJsonError(definition, raw, parsed) };
}

function repairedBy(origin: AnswerOrigin, kind: AnswerCandidate['repair']): AnswerOrigin {
  return { ...origin, repairs: [...(origin.repairs ?? []), { kind, path: [] }] };
}

/**
 * Validates a value that a route delivered. `raw` is its JSON text.
 *
 * Never rejects. A key that could reach a prototype is rejected here too.
 */
export async function safeValidateAnswer<TDefinition extends AnyOutputDefinition>(
  value: unknown,
  definition: TDefinition,
  { raw, ...origin }: AnswerOrigin & { readonly raw: string },
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  const screened = refuseDangerousKeys(value, raw);
  if (!screened.success) return { success: false, error: invalidJsonError(definition, raw, screened) };
  return judgeExact({ value, text: raw }, raw, definition, origin);
}

/** A text that is the value itself. */
function textAnswer(text: string): WrittenAnswer {
  return { value: text, text };
}

/** Rejects text whose parsed value differs from the written one. */
async function judgeExact<TDefinition extends AnyOutputDefinition>(
  answer: WrittenAnswer,
  raw: string,
  definition: TDefinition,
  origin: AnswerOrigin,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  const part =
    findInexact(answer.text, answer.value) ??
    (origin.isParsedElsewhere === true ? findRounded(answer.value) : undefined);
  if (part === undefined) return judge(answer, raw, definition, origin);
  const { kind, path, message } = part;
  if (kind === 'out-of-range') {
    const reason = `${message} (at \`${showPath(path)}\`)`;
    const cause = new SyntaxError(`Refused JSON: ${reason}`);
    return { success: false, error: invalidJsonError(definition, raw, { cause, reason }) };
  }
  const issues = [{ path, message }];
  return { success: false, error: mismatchError(definition, raw, { issues, cause: issues }) };
}

async function judge<TDefinition extends AnyOutputDefinition>(
  answer: WrittenAnswer,
  raw: string,
  definition: TDefinition,
  origin: AnswerOrigin,
): Promise<SafeExtractResult<InferOutput<TDefinition>>> {
  try {
    const inverse = screened(origin.inverse, raw);
    const verdict = await validateValue(inverse(answer.value), definition);
    const undone = origin.repairs ?? [];
    if (verdict.type === 'accepted') return await accept(verdict.value, raw, undone, definition, origin);
    const repaired = origin.route === 'tag' ? undefined : await repair(answer, definition, inverse);
    if (repaired !== undefined)
      return await accept(repaired.value, raw, [...undone, ...repaired.repairs], definition, origin);
    return { success: false, error: mismatchError(definition, raw, verdict) };
  } catch (cause) {
    if (cause instanceof DangerousAnswer)
      return { success: false, error: invalidJsonError(definition, raw, cause.problem) };
    return { success: false, error: exceptionError(definition, raw, cause) };
  }
}

/** The result of an inverse contains a key that could reach a prototype. */
class DangerousAnswer extends SyntaxError {
  readonly problem: { readonly cause: unknown; readonly reason: string };

  constructor(problem: { readonly cause: unknown; readonly reason: string }) {
    super(problem.reason);
    this.problem = problem;
  }
}

/**
 * An inverse parses JSON text and builds maps, so its result is screened like the answer itself.
 */
function screened(
  inverse: ((value: unknown) => unknown) | undefined,
  raw: string,
): (value: unknown) => unknown {
  if (inverse === undefined) return (value) => value;
  return (value) => {
    const restored = inverse(value);
    const screen = refuseDangerousKeys(restored, raw);
    if (!screen.success) throw new DangerousAnswer(screen);
    return restored;
  };
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
    attempts: [acceptedAttempt(raw)],
    raw,
    repairs,
    ...(span !== undefined && { span }),
    ...(schemaHash !== undefined && { schemaHash }),
    ...(unclosedTagAfterMatch === true && { unclosedTagAfterMatch }),
  };
  // The definition's own schema has accepted the value. This is the only place that assigns its
  // type.
  return { success: true, value: value as InferOutput<TDefinition>, provenance };
}

/** Returns the first value inside known envelopes that the definition accepts. */
async function repair(
  answer: WrittenAnswer,
  definition: AnyOutputDefinition,
  inverse: (value: unknown) => unknown,
): Promise<{ readonly value: unknown; readonly repairs: readonly Repair[] } | undefined> {
  for (const { value, repairs } of undoEnvelopes({ ...answer, repairs: [] }, readExact)) {
    try {
      const verdict = await validateValue(inverse(value), definition);
      if (verdict.type === 'accepted')
        return { value: verdict.value, repairs: repairs.map((kind) => ({ kind, path: [] })) };
    } catch (error) {
      if (error instanceof DangerousAnswer) throw error;
      // The original value was validated without an exception. A guess that the schema cannot
      // process is not a repair.
    }
  }
  return undefined;
}

/** Parses the text inside an envelope, unless its value differs from the written one. */
function readExact(text: string): WrittenAnswer | undefined {
  const parsed = parseJson(text);
  if (!parsed.success || findInexact(text, parsed.value) !== undefined) return undefined;
  return { value: parsed.value, text };
}
