/** Terms of the judge: what it reads, by which rules, its verdict, and the envelope of an answer. Pure. */
import type { Refusal } from '../definition/answer-errors.ts';
import type { Repair } from '../definition/provenance.ts';
import type { CandidateReader } from '../candidates/lenient-candidates.ts';
import type { NegativeVerdict, Verdict } from './validate-value.ts';
import { isRecord } from '../../kit/is-record.ts';
import { memberText } from '../../json/text/member-text.ts';
import { ENVELOPE_KEY } from '../../schema/engine/embed-schema.ts';

/** Text of a tool call's arguments. */
export interface WrittenCall {
  readonly text: string;
  /** True if another program parsed the value. An integer above 2^53 can have been rounded. */
  readonly isParsedElsewhere?: boolean;
}

/** One reply of a model or agent, in a form that does not depend on the API. */
export interface Reply {
  /** Text of the reply, without calls and reasoning. */
  readonly text: string;
  /** True if another program parsed the text's value. @default false */
  readonly isParsedElsewhere?: boolean;
  /** Reasoning that the service reports. @default '' */
  readonly reasoning?: string;
  /** Calls of the tool that receives the answer, in order. @default [] */
  readonly submissions?: readonly WrittenCall[];
  /** The last call of another tool. A model can answer with it if it was offered none. */
  readonly otherCall?: WrittenCall;
  /**
   * `cut`: the output ended at a limit. `runaway`: it repeated itself, and was ended. `withheld`: a filter
   * or a refusal. @default 'whole'
   */
  readonly ending?: 'whole' | 'cut' | 'runaway' | 'withheld';
  /** Repeated part of a reply that was ended. */
  readonly repeats?: string;
}

/** A value as it was written, and how it was found. */
export interface FoundAnswer extends WrittenAnswer {
  readonly repairs: readonly Repair[];
  readonly isParsedElsewhere?: boolean;
}

/** The limit or rule that arguments break, although they are JSON. */
export interface ScreenProblem {
  readonly code: string;
  /** Contains keys of the model. */
  readonly reason: string;
  readonly cause: unknown;
  /** Path in the answer. Empty for the whole. */
  readonly path: readonly (string | number)[];
}

/** Rules of a verdict. They depend on the definition and the level, never on the route. */
export interface JudgeRules {
  /** The answer is these words instead of JSON; empty for any text. */
  readonly words?: readonly string[];
  /** The answer is the text between tags: nothing is undone (ADR 0003). */
  readonly isTagged?: boolean;
  /** Finds candidates in a longer text. Absent at the level `strict`. */
  readonly reader?: CandidateReader;
  /** Converts the parsed answer back to the definition's form, before it is validated. */
  readonly inverse?: (value: unknown) => unknown;
  /** Screens arguments `{ "output": … }`, which are JSON. Absent if only the parser's limits apply. */
  readonly screen?: (argumentsText: string) => ScreenProblem | undefined;
  /** The caller receives the text, so that a number may have more digits than a double. */
  readonly keepsDigits?: boolean;
  /** Returns true for a value that the prompt showed: its sample, or the schema itself. */
  readonly isOurs?: (value: unknown) => boolean;
  /** Returns true for the text of a value that was copied from the prompt in part. */
  readonly isCopied?: (text: string) => boolean;
  /** Returns true for an object without any key of the schema, all of whose keys its library dropped. */
  readonly isForeign?: (value: unknown, accepted: unknown) => boolean;
  /** Returns texts of the prompt. What a model repeats of them is not its answer. */
  readonly ownTexts?: () => readonly string[];
  /** Maximum size of an answer in bytes of UTF-8. @default no limit */
  readonly maxBytes?: number;
  /** Repairs that were made before the text was found. */
  readonly repairs?: readonly Repair[];
}

/** Reason for a missing answer. */
export type NoAnswerReason = 'withheld' | 'empty' | 'no-call' | 'no-json' | 'repeated';

export type Judged =
  | {
      readonly type: 'accepted';
      readonly value: unknown;
      /** JSON of the answer as it was written, in which numbers keep their digits. */
      readonly text: string;
      readonly raw: string;
      readonly repairs: readonly Repair[];
    }
  | Refusal
  | { readonly type: 'no-answer'; readonly reason: NoAnswerReason };

/** A judgement in progress: yields each value to validate, and receives the schema's verdict. */
export type Judging = Generator<unknown, Judged, Verdict>;

/** Returns a refusal. Ignores other members of `details`, such as the code of a parser. */
export function refuse(
  code: Refusal['code'],
  raw: string,
  details: Partial<Pick<Refusal, 'issues' | 'reason' | 'cause' | 'problem' | 'path'>> = {},
): Refusal {
  const { issues = [], reason = '', cause, problem, path = [] } = details;
  const place = problem === undefined ? {} : { problem, path };
  return { type: 'refused', code, raw, issues, reason, cause, ...place };
}

/** Returns the refusal of a text whose reply was ended before its end. */
export function refuseEnded({ ending, repeats }: Reply, raw: string): Refusal | undefined {
  if (ending === 'cut') return refuse('truncated', raw);
  return ending === 'runaway' ? refuse('runaway', raw, { reason: repeats ?? '' }) : undefined;
}

export function refuseAt(
  raw: string,
  message: string,
  path: Refusal['issues'][number]['path'] = [],
): Refusal {
  const issues = [{ path, message }];
  return refuse('schema-mismatch', raw, { issues, cause: issues });
}

/** Returns the refusal of a value that its schema did not accept. */
export function refuseVerdict(verdict: NegativeVerdict, raw: string): Refusal {
  return refuse(verdict.type === 'rejected' ? 'schema-mismatch' : 'validator-error', raw, verdict);
}

/** Returns root repairs of these kinds. */
export function labels(...kinds: readonly string[]): readonly Repair[] {
  return kinds.map((kind) => ({ kind, path: [] }));
}

/** Returns the arguments of a call for an answer. */
export function envelope(answerText: string): string {
  return `{"${ENVELOPE_KEY}":${answerText}}`;
}

/** Returns true for an object with the key of the envelope. */
export function hasEnvelope(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.hasOwn(value, ENVELOPE_KEY);
}

/** Returns the content of a parsed envelope. Undefined for a value without its key. */
export function valueIn(value: unknown): unknown {
  return hasEnvelope(value) ? value[ENVELOPE_KEY] : undefined;
}

/** A value with its JSON text, in which numbers keep all their digits. */
export interface WrittenAnswer {
  readonly value: unknown;
  readonly text: string;
}

interface EnvelopeContent extends WrittenAnswer {
  /** False if the object has other keys. */
  readonly isAlone: boolean;
}

/** Returns the unchanged text in an envelope: parsing and serializing would round numbers. */
export function contentOf({ value, text }: WrittenAnswer): EnvelopeContent | undefined {
  if (!hasEnvelope(value)) return undefined;
  const content = memberText(text, [ENVELOPE_KEY]);
  const isAlone = Object.keys(value).length === 1;
  return content === undefined ? undefined : { value: valueIn(value), text: content, isAlone };
}
