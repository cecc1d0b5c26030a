/**
 * Decision function of a turn. Equal rows and settings give equal decisions, so that a crash
 * between two commits loses nothing. Pure.
 *
 * execute-tools → wait-for-client → (compact) → finish | fail → compact → call-model
 */
import {
  decideAnswer,
  type AnswerDecision,
  type AnswerProgress,
} from '@truecast/core/internal/output/finalizer/answer-loop';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { ToolCallPart, ToolResultPart } from '@truecast/client/internal/wire/message-parts';
import type { RequestError } from '@truecast/client/internal/wire/receipt';
import type { MessageRow } from '../contract/rows.ts';
import type { ToolFacts } from '../contract/tools.ts';
import {
  chooseWay,
  type ModelCapabilities,
  type Way,
  type WayState,
} from '@truecast/model/internal/ladder/choose-way';
import type { ActiveRequest, OpenRequest } from '../format/active-request.ts';
import type { TurnView } from '../format/turn-view.ts';
import { planBatch } from './plan-batch.ts';
import { contextState, type ContextSettings } from './context-state.ts';
import { repeatStreak } from './repeated-results.ts';
import { configurationError, notProduced } from './turn-failure.ts';
import { isPaused, openCallsOf, resultsOf, stepsOf, unansweredCalls } from '../contract/turn-rows.ts';

/** Inputs of a decision, in addition to the rows. */
export interface TurnSettings extends ContextSettings {
  /**
   * Tools of this turn by name, including the finalizer while a request is open. The server answers
   * an unknown name with an error result.
   */
  readonly tools: ReadonlyMap<string, ToolFacts>;
  readonly model: ModelCapabilities;
  /** Steps of the ladder that the service refused in this turn. */
  readonly refused: WayState['refused'];
  /** What is known about the model's engine. @default nothing */
  readonly standing?: WayState['standing'];
  /** Maximum model calls in one turn. @default 200 */
  readonly maxSteps?: number;
  /**
   * True if the caller set the limit of output tokens, so that another call would be truncated too.
   * @default false
   */
  readonly isCutFinal?: boolean;
}

export type TurnEndReason = 'accepted' | 'complete' | 'stop-after' | 'max-steps' | 'ended';

/** The next action. */
export type Decision =
  /**
   * Run `calls` concurrently. `refused` are results of calls that do not run. Commit all in one
   * row, in the order of the calls.
   */
  | {
      readonly type: 'execute-tools';
      readonly calls: readonly ToolCallPart[];
      readonly refused: readonly ToolResultPart[];
    }
  | { readonly type: 'wait-for-client'; readonly calls: readonly ToolCallPart[] }
  | { readonly type: 'call-model'; readonly way?: Way }
  | { readonly type: 'compact' }
  | { readonly type: 'finish'; readonly reason: TurnEndReason }
  | {
      readonly type: 'fail';
      readonly error: RequestError;
      /**
       * The chat's status after the turn. After a failed request, the chat accepts the next
       * message.
       */
      readonly chatStatus: 'waiting' | 'error';
    };

/** Default maximum of steps in one turn. */
const DEFAULT_MAX_STEPS = 200;

/** Decides the next action of the latest user message's turn. */
export function decide(view: TurnView, settings: TurnSettings): Decision {
  const { rows, turn, activeRequest: active } = view;
  if (turn === undefined || active.type === 'closed') {
    return settings.isCompactionRequested ? { type: 'compact' } : { type: 'finish', reason: 'ended' };
  }
  if (active.type === 'broken') return failRequest(configurationError('broken'));
  const step = stepsOf(turn).at(-1);
  const waiting = step === undefined ? undefined : decideCalls(step, turn, settings);
  if (waiting !== undefined) return waiting;
  if (active.type === 'accepted') return { type: 'finish', reason: 'accepted' };
  if (active.type === 'open' && view.isPlan) return failRequest(configurationError('planMode'));
  if (settings.isCompactionRequested) return { type: 'compact' };
  const loop = active.type === 'open' ? decideLoop(active.request, turn, settings) : undefined;
  if (loop?.type === 'fail') {
    const attempts = active.type === 'open' ? active.request.attempts : [];
    return failRequest(notProduced(loop.reason, attempts));
  }
  return (
    (loop === undefined ? endOfTurn(turn, settings) : undefined) ??
    decideContext(rows, active, settings) ??
    callModel(active, loop, settings)
  );
}

/** Decides calls of a step first, because the model is not called while a call is unanswered. */
function decideCalls(
  step: MessageRow,
  turn: readonly MessageRow[],
  { tools }: TurnSettings,
): Decision | undefined {
  const unanswered = unansweredCalls(step, turn);
  const { calls, refused, dynamic } = planBatch(step, unanswered, tools);
  if (calls.length + refused.length > 0) return { type: 'execute-tools', calls, refused };
  return dynamic.length > 0 ? { type: 'wait-for-client', calls: dynamic } : undefined;
}

/**
 * An ordinary turn ends with a step without server or client calls, or after a tool that ends it.
 */
function endOfTurn(turn: readonly MessageRow[], settings: TurnSettings): Decision | undefined {
  const steps = stepsOf(turn);
  const last = steps.at(-1);
  if (last === undefined) return undefined;
  const hasStopped = resultsOf(last, turn).some(
    ({ tool_name, is_error }) => !is_error && settings.tools.get(tool_name)?.isStopAfter === true,
  );
  if (hasStopped) return { type: 'finish', reason: 'stop-after' };
  const isPausedNow = isPaused(last.parts, last.step?.finishReason);
  if (openCallsOf(last).length === 0 && !isPausedNow) return { type: 'finish', reason: 'complete' };
  return steps.length >= maxSteps(settings) ? { type: 'finish', reason: 'max-steps' } : undefined;
}

/** A request ends with an accepted answer, which is handled above, or at its limits. */
function decideLoop(
  request: OpenRequest,
  turn: readonly MessageRow[],
  settings: TurnSettings,
): AnswerDecision {
  const { limits, lastStep, steps, textOnlyStreak, rejections, attempts } = request;
  const isCut = lastStep === 'truncated';
  const isEmpty = lastStep === 'empty' || (isCut && attempts.at(-1)?.code === 'empty');
  const progress: AnswerProgress = {
    steps,
    textOnlyStreak,
    rejections,
    unknownStreak: unknownStreak(turn, settings.tools),
    repeatStreak: repeatStreak(turn),
    last: lastStep === 'refused' ? 'refused' : isEmpty ? 'empty' : 'worked',
    isCut,
  };
  return decideAnswer(progress, {
    maxSteps: maxSteps(settings),
    maxTextOnly: limits.text_only,
    maxRejections: limits.max_repairs,
    isCutFinal: settings.isCutFinal === true,
  });
}

/** Counts the latest steps that called only tools that this turn does not have. */
function unknownStreak(turn: readonly MessageRow[], tools: TurnSettings['tools']): number {
  const steps = stepsOf(turn);
  const isUnknown = (step: MessageRow): boolean => {
    const calls = openCallsOf(step);
    return calls.length > 0 && calls.every(({ tool_name }) => !tools.has(tool_name));
  };
  return steps.length - 1 - steps.findLastIndex((step) => !isUnknown(step));
}

function decideContext(
  rows: readonly MessageRow[],
  active: ActiveRequest,
  settings: TurnSettings,
): Decision | undefined {
  const state = contextState(rows, settings);
  if (state === 'fits') return undefined;
  if (state === 'full') return { type: 'compact' };
  const error = configurationError('contextFull');
  return active.type === 'open' ? failRequest(error) : { type: 'fail', error, chatStatus: 'error' };
}

function callModel(
  active: ActiveRequest,
  loop: AnswerDecision | undefined,
  settings: TurnSettings,
): Decision {
  if (active.type !== 'open' || loop?.type !== 'call-model') return { type: 'call-model' };
  const { isLastTry, isAnswerDue } = loop;
  const way = chooseWay(settings.model, {
    hasOtherTools: !isAnswerDue && [...settings.tools.keys()].some((name) => name !== FINALIZER_NAME),
    isLastTry,
    hasSpoken: active.request.textOnlyStreak > 0,
    refused: settings.refused,
    ...(settings.standing !== undefined && { standing: settings.standing }),
  });
  if (way.type === 'impossible') return failRequest(configurationError('impossible'));
  return { type: 'call-model', way: isAnswerDue ? { ...way, isAnswerDue } : way };
}

function maxSteps(settings: TurnSettings): number {
  return settings.maxSteps ?? DEFAULT_MAX_STEPS;
}

function failRequest(error: RequestError): Decision {
  return { type: 'fail', error, chatStatus: 'waiting' };
}
