/** State of a model's work with tools: its messages, its steps, and how it ends without an answer. */
import type { ModelMessage } from 'ai';
import type { AnswerStep, NotProduced } from '@truecast/core/internal/errors/base/answer-step';
import type { Attempt } from '@truecast/core/internal/errors/base/run-evidence';
import type { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { notProducedError, withAttempts } from '@truecast/core/internal/output/definition/answer-errors';
import {
  advance,
  NO_PROGRESS,
  startRepetitions,
  type AnswerLimits,
  type AnswerProgress,
  type FinishedCall,
  type LoopStep,
} from '@truecast/core/internal/output/finalizer/answer-loop';
import { priceUsage } from '@truecast/core/internal/kit/usage';
import { standingOfModel } from '../ladder/model-steps.ts';
import { schemaText, type Conversation, type ModeReply } from '../modes/conversation.ts';
import type { ReadyTools } from '../tools/read-tools.ts';

/** Work of one answer. */
export interface Work {
  readonly conversation: Conversation;
  readonly tools: ReadyTools;
  readonly limits: AnswerLimits;
  /** Attempts at the answer, failed ones included. */
  readonly attempts: Attempt[];
  readonly steps: AnswerStep[];
  /** Messages after the question: calls and their results. */
  readonly done: ModelMessage[];
  /** The last refused answer and its feedback, until the next one or the next work. */
  correction: { readonly messages: readonly ModelMessage[]; readonly isValue: boolean };
  progress: AnswerProgress;
  lastError: StructuredOutputError | undefined;
  /** True if the service refuses to force a call. */
  isFree: boolean;
  readonly isRepetition: (call: FinishedCall) => boolean;
}

const DEFAULT_MAX_STEPS = 20;
/** Replies of text in a row: a model that is not forced can explain its plan first. */
const MAX_TEXT_ONLY = 5;

export const NO_CORRECTION: Work['correction'] = { messages: [], isValue: false };

export function startWork(conversation: Conversation, tools: ReadyTools, attempts: Attempt[]): Work {
  const { options, settings } = conversation;
  const { model, output, maxSteps = DEFAULT_MAX_STEPS, maxOutputTokens } = options;
  return {
    conversation,
    tools,
    limits: {
      maxSteps,
      maxTextOnly: MAX_TEXT_ONLY,
      maxRejections: settings.maxAttempts,
      isCutFinal: maxOutputTokens !== undefined,
    },
    attempts,
    steps: [],
    done: [],
    correction: NO_CORRECTION,
    progress: NO_PROGRESS,
    lastError: undefined,
    isFree: standingOfModel(model, () => schemaText(output)).dropped.has('required'),
    isRepetition: startRepetitions(),
  };
}

/** Counts a step, and reports it. Rejects with an error of the caller's `onStep`. */
export async function endStep(
  work: Work,
  { reply }: ModeReply,
  step: Pick<AnswerStep, 'outcome'> & Partial<Pick<AnswerStep, 'calls'>> & Pick<LoopStep, 'isRepeated'>,
): Promise<void> {
  const { options } = work.conversation;
  const { outcome, calls = [], isRepeated = false } = step;
  if (outcome !== 'accepted') {
    const isCut = reply.finishReason === 'length';
    work.progress = advance(work.progress, { outcome, isCut, isRepeated });
  }
  const usage = priceUsage(reply.usage, options.prices);
  const ended: AnswerStep = { outcome, calls, ...(usage !== undefined && { usage }) };
  work.steps.push(ended);
  await options.onStep?.(ended);
}

/** What happened, and the next step. */
const REASONS: Readonly<Record<NotProduced, readonly [string, string]>> = {
  refused: ['the service of the model withheld the reply', 'Change the prompt, or try another model.'],
  empty_response: ['the model returned an empty reply', 'Try again, or use another model.'],
  truncated: ['the reply was cut at the output limit', 'Raise `maxOutputTokens`, or ask for less.'],
  text_only: [
    `the model wrote text ${MAX_TEXT_ONLY} times in a row instead of calling a tool`,
    'Use a model that supports forced tool calls.',
  ],
  validation_exhausted: ['each submitted answer was refused', 'Read `attempts`, or raise `maxCorrections`.'],
  unknown_tool: [
    'the model called three times in a row only tools that it was not offered',
    'Name the tools in the prompt, or use another model.',
  ],
  step_budget: ['all steps were used', 'Raise `maxSteps`, or ask for less work.'],
};

/** Returns the error of work that ended without an answer, with its steps. */
export function withoutAnswer(
  { conversation, steps, attempts, lastError }: Work,
  reason: NotProduced,
  why: readonly [string, string] = REASONS[reason],
): StructuredOutputError {
  const [what, next] = why;
  const isOfAnswer = reason === 'validation_exhausted' || reason === 'truncated';
  const message = `Expected an answer after ${steps.length} steps with tools, but ${what}. ${next}`;
  const error =
    isOfAnswer && lastError !== undefined
      ? withAttempts(lastError, attempts)
      : withAttempts(notProducedError(conversation.options.output, { message }), attempts, '');
  return Object.assign(error, { reason, steps: [...steps] });
}
