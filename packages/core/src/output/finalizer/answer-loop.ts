/**
 * Answer loop: counts the steps of a model that works with tools and must end with an accepted
 * answer, and decides what follows. Pure.
 *
 * step → its outcome → `advance` → `decideAnswer` → call the model again, or fail
 */
import type { NotProduced, StepOutcome } from '../../errors/base/answer-step.ts';

export interface LoopStep {
  readonly outcome: StepOutcome;
  /** True if the reply ended at a limit of the output. */
  readonly isCut?: boolean;
  /** True if each of its calls had the same result at least twice before. */
  readonly isRepeated?: boolean;
}

/** Progress of an answer. Equal steps give equal progress, so that it can be read from stored rows. */
export interface AnswerProgress {
  readonly steps: number;
  /** Steps of text since the last call. */
  readonly textOnlyStreak: number;
  readonly rejections: number;
  /** Steps since a call of a tool that was offered, with calls of others only. */
  readonly unknownStreak: number;
  /** Steps in a row that only repeated calls and their results. */
  readonly repeatStreak: number;
  readonly last: StepOutcome | 'none';
  readonly isCut: boolean;
}

export const NO_PROGRESS: AnswerProgress = Object.freeze({
  steps: 0,
  textOnlyStreak: 0,
  rejections: 0,
  unknownStreak: 0,
  repeatStreak: 0,
  last: 'none',
  isCut: false,
});

/** Adds a step. Any call resets the count of texts, a rejected one too. */
export function advance(
  progress: AnswerProgress,
  { outcome, isCut = false, isRepeated = false }: LoopStep,
): AnswerProgress {
  const isText = outcome === 'text-only' || outcome === 'empty';
  return {
    steps: progress.steps + 1,
    textOnlyStreak: isText ? progress.textOnlyStreak + 1 : 0,
    rejections: progress.rejections + (outcome === 'rejected' ? 1 : 0),
    unknownStreak: outcome === 'unknown-tool' ? progress.unknownStreak + 1 : 0,
    repeatStreak: isRepeated ? progress.repeatStreak + 1 : 0,
    last: outcome,
    isCut,
  };
}

export interface AnswerLimits {
  readonly maxSteps: number;
  readonly maxTextOnly: number;
  readonly maxRejections: number;
  /** True if the caller set the limit of output tokens, so that the next reply is cut too. */
  readonly isCutFinal?: boolean;
}

/** What follows. */
export type AnswerDecision =
  | { readonly type: 'fail'; readonly reason: NotProduced }
  | {
      readonly type: 'call-model';
      /** The next failure ends the loop. */
      readonly isLastTry: boolean;
      /** True if only the answer tool is offered: the steps for other work are used up, or do nothing. */
      readonly isAnswerDue: boolean;
    };

/** A model that calls a tool that it was not offered three times in a row will not stop. */
const MAX_UNKNOWN = 3;
/** One step to answer, and one to correct it. Fewer steps leave no room for work. */
const RESERVED_STEPS = 2;
const MIN_STEPS_WITH_RESERVE = 4;
/** A model that repeats a call this often although the results say so does not work any more. */
const MAX_REPEATED_STEPS = 3;

/** Decides what follows a progress without an accepted answer. */
export function decideAnswer(progress: AnswerProgress, limits: AnswerLimits): AnswerDecision {
  const reason = endOf(progress, limits);
  if (reason !== undefined) return { type: 'fail', reason };
  const { steps, textOnlyStreak, rejections, repeatStreak } = progress;
  const { maxSteps, maxTextOnly, maxRejections } = limits;
  const isLastTry =
    textOnlyStreak >= maxTextOnly - 1 || rejections >= maxRejections - 1 || steps >= maxSteps - 1;
  const reserved = maxSteps >= MIN_STEPS_WITH_RESERVE ? RESERVED_STEPS : 0;
  const isAnswerDue = steps >= maxSteps - reserved || repeatStreak >= MAX_REPEATED_STEPS;
  return { type: 'call-model', isLastTry, isAnswerDue };
}

function endOf(progress: AnswerProgress, limits: AnswerLimits): NotProduced | undefined {
  const { steps, textOnlyStreak, rejections, unknownStreak, last, isCut } = progress;
  if (last === 'refused') return 'refused';
  if (isCut && (limits.isCutFinal === true || last === 'empty')) return 'truncated';
  if (last === 'empty') return 'empty_response';
  if (textOnlyStreak >= limits.maxTextOnly) return isCut ? 'truncated' : 'text_only';
  if (rejections >= limits.maxRejections) return isCut ? 'truncated' : 'validation_exhausted';
  if (unknownStreak >= MAX_UNKNOWN) return 'unknown_tool';
  return steps >= limits.maxSteps ? 'step_budget' : undefined;
}

export interface FailedReply {
  /** True if it contains a value, and the value is refused. False for a cut, an empty or another reply. */
  readonly isValue: boolean;
  /** True if an earlier value is in the prompt already, with its issues. */
  readonly isCorrecting: boolean;
}

/**
 * Decides how the next call asks. A model copies what it reads, small ones most: a value goes back
 * once, with its issues. After that, and after a reply that contains no value, the question is asked
 * anew, without anything of the reply and with the next seed.
 */
export function asksAnew({ isValue, isCorrecting }: FailedReply): boolean {
  return !isValue || isCorrecting;
}

/** Codes of replies without an end. They do not show that the schema was ignored. */
const UNFINISHED: ReadonlySet<string> = new Set(['truncated', 'runaway', 'empty', 'refused']);

/**
 * Decides whether a question that is asked anew tells its schema in words too: the reply was whole and
 * ignored the schema, or its value was corrected in vain. Then the engine does not hold the rule that broke.
 */
export function tellsSchema(code: string): boolean {
  return !UNFINISHED.has(code);
}

/** A call, its arguments, and its result, as text. */
export interface FinishedCall {
  readonly name: string;
  readonly args: string;
  readonly result: string;
}

/** The same call with the same result this often teaches a model nothing. */
const MAX_REPEATS = 3;

/** Message to a model with a result that it has received twice before. */
export const REPEATED_RESULT =
  'You have this result already: the same call gave the same result three times. Do something else, or answer with what you have.';

/** Starts a count of calls: it returns whether a call repeats earlier ones, with the same result each time. */
export function startRepetitions(): (call: FinishedCall) => boolean {
  const counts = new Map<string, number>();
  return ({ name, args, result }) => {
    const key = JSON.stringify([name, args, result]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count >= MAX_REPEATS;
  };
}
