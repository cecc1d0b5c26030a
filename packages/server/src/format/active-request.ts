/**
 * Active request, computed from the rows. The single definition for all callers. Pure.
 *
 * none: an ordinary turn · open → accepted → closed, or open → closed · broken: the request cannot
 * be answered, and fails
 */
import {
  advance,
  NO_PROGRESS,
  type AnswerProgress,
  type LoopStep,
} from '@truecast/core/internal/output/finalizer/answer-loop';
import type { StepOutcome } from '@truecast/core/internal/errors/base/answer-step';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { toReceiptUsage } from '../contract/receipt.ts';
import type {
  RequestLimits,
  ResponseFormatPart,
  ToolResultPart,
} from '@truecast/client/internal/wire/message-parts';
import type { ReceiptAttempt } from '@truecast/client/internal/wire/receipt';
import type { MessageRow } from '../contract/rows.ts';
import { isEmptyStep, openCallsOf, resultsOf, stepsOf, type TurnRows } from '../contract/turn-rows.ts';
import { toTime } from '../contract/to-time.ts';
import { readFormatPart, type StoredFormat } from './stored-format.ts';

export interface OpenRequest extends Pick<AnswerProgress, 'steps' | 'textOnlyStreak' | 'rejections'> {
  readonly requestId: string;
  /** The row of the user message. */
  readonly messageId: number;
  readonly format: StoredFormat;
  readonly limits: RequestLimits;
  /** Outcome of each step for the answer, in order. */
  readonly attempts: readonly ReceiptAttempt[];
  /** State at the end of the turn, if only a failure can follow. */
  readonly lastStep: 'none' | 'empty' | 'truncated' | 'refused' | 'whole';
}

export interface AcceptedAnswer {
  readonly value: JsonValue;
  readonly valueText: string;
  readonly isExact: boolean;
}

/** The request that the latest user message started. */
export type ActiveRequest =
  | { readonly type: 'none' }
  | { readonly type: 'open'; readonly request: OpenRequest }
  | { readonly type: 'accepted'; readonly request: OpenRequest; readonly answer: AcceptedAnswer }
  | { readonly type: 'closed'; readonly requestId: string }
  | { readonly type: 'broken'; readonly requestId: string | undefined; readonly messageId: number };

/**
 * Returns the request of the current turn's user message. Callers read it from a `TurnView`.
 *
 * Only a message without a format starts an ordinary turn. A message with an unreadable or
 * contradictory format is broken.
 */
export function activeRequest(turn: TurnRows | undefined): ActiveRequest {
  if (turn === undefined) return { type: 'none' };
  const [message] = turn;
  const formats = message.parts.filter((part) => part.type === 'response_format');
  const [format, second] = formats;
  const requestId = message.requestId ?? format?.request_id;
  if (format === undefined && requestId === undefined) return { type: 'none' };
  if (requestId !== undefined && isEnded(turn, requestId)) return { type: 'closed', requestId };
  const broken: ActiveRequest = { type: 'broken', requestId, messageId: message.id };
  if (format === undefined || second !== undefined || format.request_id !== message.requestId) return broken;
  const stored = readFormatPart(format);
  if (stored === undefined) return broken;
  return readProgress(turn, format, stored) ?? broken;
}

/** Returns undefined if the rows contradict each other. */
function readProgress(
  turn: TurnRows,
  { request_id, limits }: ResponseFormatPart,
  format: StoredFormat,
): ActiveRequest | undefined {
  const steps = stepsOf(turn);
  const accepted = steps.filter((step) => acceptedResult(step, turn) !== undefined);
  const [answered] = accepted;
  // An accepted answer ended the turn, so this server cannot have written a later step.
  if (answered !== undefined && answered !== steps.at(-1)) return undefined;
  const outcomes = steps.map((step) => ({ step, attempts: attemptsOf(step, turn) }));
  const progress = outcomes.map(toLoopStep).reduce(advance, NO_PROGRESS);
  const request: OpenRequest = {
    requestId: request_id,
    messageId: turn[0].id,
    format,
    limits,
    steps: progress.steps,
    textOnlyStreak: progress.textOnlyStreak,
    rejections: progress.rejections,
    attempts: outcomes.flatMap(({ attempts }) => attempts),
    lastStep: endOf(progress),
  };
  const result = answered === undefined ? undefined : acceptedResult(answered, turn);
  if (result === undefined) return { type: 'open', request };
  return { type: 'accepted', request, answer: answerOf(result) };
}

const NOT_REJECTED: ReadonlySet<ReceiptAttempt['code']> = new Set(['ok', 'text_only', 'empty', 'refused']);

function isEnded(turn: readonly MessageRow[], requestId: string): boolean {
  return turn.some(({ parts }) =>
    parts.some((part) => part.type === 'outcome' && part.request_id === requestId),
  );
}

/** Only a single successful finalizer call is an answer. No other tool can have its name. */
function acceptedResult(step: MessageRow, turn: readonly MessageRow[]): ToolResultPart | undefined {
  const [call, sibling] = step.parts.filter((part) => part.type === 'tool_call');
  if (call?.tool_name !== FINALIZER_NAME || sibling !== undefined) return undefined;
  return resultsOf(step, turn).find(
    (result) =>
      result.tool_call_id === call.tool_call_id &&
      result.tool_name === FINALIZER_NAME &&
      !result.is_error &&
      result.result_text !== undefined,
  );
}

function answerOf({ result, result_text, attempt }: ToolResultPart): AcceptedAnswer {
  return { value: result, valueText: result_text ?? '', isExact: attempt?.numbers_exact !== false };
}

/** Outcome in the rows after a step. Without one, the step contributed nothing. */
function attemptsOf(step: MessageRow, turn: readonly MessageRow[]): ReceiptAttempt[] {
  const found: ReceiptAttempt[] = [];
  for (const row of turn.slice(turn.indexOf(step) + 1)) {
    if (stepsOf([row]).length > 0) break;
    // A compaction's copy contains nothing new.
    if (row.isCompressed) continue;
    for (const part of row.parts) {
      if ((part.type === 'tool_result' || part.type === 'corrective') && part.attempt !== undefined) {
        found.push(part.attempt);
      }
    }
  }
  const attempts = found.length === 0 && isEmptyStep(step) ? [{ code: 'empty' as const }] : found;
  return attempts.map((attempt) => ({ ...attempt, ...callFacts(step) }));
}

/** Returns the facts of the step's model call. */
function callFacts({ id, step }: MessageRow): Partial<ReceiptAttempt> {
  if (step === undefined) return { message_id: id };
  const { startedAt, durationMs, waitedMs, waitedFor, usage, unenforced } = step;
  const isTimed = startedAt !== undefined && durationMs !== undefined;
  return {
    message_id: id,
    ...(unenforced !== undefined && { unenforced }),
    ...(isTimed && { at: toTime(startedAt + durationMs) }),
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    ...(waitedMs !== undefined && { waited_ms: waitedMs }),
    ...(waitedFor !== undefined && { waited_for: waitedFor }),
    ...(usage !== undefined && { usage: toReceiptUsage(usage) }),
  };
}

interface AttemptedStep {
  readonly step: MessageRow;
  readonly attempts: readonly ReceiptAttempt[];
}

/** Returns a step in the terms of the answer loop. */
function toLoopStep({ step, attempts }: AttemptedStep): LoopStep {
  return { outcome: outcomeOf({ step, attempts }), isCut: step.step?.finishReason === 'length' };
}

function outcomeOf({ step, attempts }: AttemptedStep): StepOutcome {
  if (step.step?.finishReason === 'content_filter') return 'refused';
  if (attempts.some(({ code }) => !NOT_REJECTED.has(code))) return 'rejected';
  const isOpen = openCallsOf(step).length > 0;
  if (isEmptyStep(step) && !isOpen) return 'empty';
  // A provider-executed search counts as text. Otherwise a search before each text could extend the
  // turn forever.
  const isSaid = step.parts.every(({ type }) => type !== 'tool_call') || attempts.length > 0;
  const isText = attempts.every(({ code }) => code === 'text_only' || code === 'empty');
  return !isOpen && isSaid && isText ? 'text-only' : 'worked';
}

function endOf({ last, isCut }: AnswerProgress): OpenRequest['lastStep'] {
  if (last === 'none' || last === 'refused') return last;
  if (isCut) return 'truncated';
  return last === 'empty' ? 'empty' : 'whole';
}
