/**
 * Result of one model call with an open request: every submission is evaluated before the step is
 * committed. Pure.
 */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { envelope } from '@truecast/core/internal/output/finalizer/screen-arguments';
import type { CorrectivePart, MessagePart, ToolCallPart, ToolResultPart } from '../contract/parts.ts';
import type { Mechanism, ReceiptAttempt } from '../contract/receipt.ts';
import type { FinishReason } from '../contract/rows.ts';
import { REPAIR_CODES } from '../contract/wire-codes.ts';
import type { OpenRequest } from '../format/active-request.ts';
import { callsOf, isPaused } from '../contract/turn-rows.ts';
import { judgeAnswerText, judgeCall, type JudgedCall } from './judge-call.ts';
import { rejectionText, siblingText, TEXT_ONLY_TEXT } from './rejection-texts.ts';

/** A model's reply in one step. */
export interface ModelStep {
  readonly parts: readonly MessagePart[];
  readonly finishReason: FinishReason;
  readonly mechanism: Mechanism;
}

/** The rows to commit in one transaction. */
export interface SettledStep {
  /** Parts of the assistant row. */
  readonly assistant: readonly MessagePart[];
  /** Parts of the following tool row. Empty if the calls must still run. */
  readonly results: readonly ToolResultPart[];
  /** Part of a final row for the model only. */
  readonly corrective: CorrectivePart | undefined;
}

/** Placeholder for arguments that cannot be stored or shown as JSON. */
const PLACEHOLDER_ARGS = '{}';

/** Id of the server-created call for a text answer. */
const NATIVE_CALL_ID = 'native';

/**
 * Evaluates a step before it is committed: the answer is accepted, rejected with feedback, or
 * missing.
 */
export function settleStep(step: ModelStep, request: OpenRequest): SettledStep {
  if (step.finishReason === 'content_filter') return settleRefusal(step, request);
  const calls = callsOf(step.parts);
  const submission = calls.find(
    (call) => call.tool_name === FINALIZER_NAME && call.provider_executed !== true,
  );
  if (submission !== undefined) {
    return calls.length > 1 ? refuseBatch(step, calls) : settleCall(step, submission, request);
  }
  const text = textOf(step.parts);
  const isOpen = calls.some(({ provider_executed }) => provider_executed !== true);
  const isEmpty = calls.length === 0 && text === '';
  if (isOpen || isEmpty || isPaused(step.parts, step.finishReason))
    return { assistant: step.parts, results: [], corrective: undefined };
  // A provider-executed search does not end a step. Without feedback, the model would only be
  // called again to continue.
  if (calls.length > 0) return askForCall(step, request);
  return step.mechanism === 'native' ? settleText(step, text, request) : askForCall(step, request);
}

/** A refusal ends the turn. Its calls can be truncated, and do not run. */
function settleRefusal({ parts, mechanism }: ModelStep, request: OpenRequest): SettledStep {
  const attempt: ReceiptAttempt = { code: 'refused', mechanism };
  return {
    assistant: parts.filter((part) => part.type !== 'tool_call' || part.provider_executed === true),
    results: [],
    corrective: correct(request, rejectionText(attempt, mechanism), attempt),
  };
}

function settleCall(step: ModelStep, call: ToolCallPart, { format }: OpenRequest): SettledStep {
  const judged = isWhole(step.finishReason) ? judgeCall(call.args, format.validator) : undefined;
  if (judged?.type === 'accepted') {
    return {
      assistant: step.parts,
      results: [acceptedResult(call, judged, step.mechanism)],
      corrective: undefined,
    };
  }
  const attempt = attemptOf(judged, step.mechanism);
  const stored = judged?.isReadable === true ? call : { ...call, args: PLACEHOLDER_ARGS };
  return {
    assistant: step.parts.map((part) => (part === call ? stored : part)),
    results: [errorResult(call, rejectionText(attempt), { synthetic: 'rejected', attempt })],
    corrective: undefined,
  };
}

/** Answers a finalizer call that was committed without a result. */
export function answerSubmission(
  call: ToolCallPart,
  request: OpenRequest,
  mechanism: Mechanism,
): ToolResultPart {
  const judged = judgeCall(call.args, request.format.validator);
  if (judged.type === 'accepted') return acceptedResult(call, judged, mechanism);
  const attempt = attemptOf(judged, mechanism);
  return errorResult(call, rejectionText(attempt), { synthetic: 'rejected', attempt });
}

/** A batch with the finalizer runs no call. Provider-executed calls already have results. */
function refuseBatch(step: ModelStep, calls: readonly ToolCallPart[]): SettledStep {
  const attempt: ReceiptAttempt = { code: 'not_alone', mechanism: step.mechanism };
  let isCounted = false;
  const results: ToolResultPart[] = [];
  for (const call of calls) {
    if (call.provider_executed === true) continue;
    const isSubmission = call.tool_name === FINALIZER_NAME;
    const text = isSubmission ? rejectionText(attempt) : siblingText(FINALIZER_NAME);
    const counted =
      isSubmission && !isCounted
        ? { synthetic: 'rejected' as const, attempt }
        : { synthetic: 'not_run' as const };
    results.push(errorResult(call, text, counted));
    isCounted ||= isSubmission;
  }
  const assistant = step.parts.map((part) =>
    part.type === 'tool_call' && part.tool_name === FINALIZER_NAME
      ? { ...part, args: PLACEHOLDER_ARGS }
      : part,
  );
  return { assistant, results, corrective: undefined };
}

/** Constrained decoding answers with text. Once accepted, it is stored as a server-created call. */
function settleText(step: ModelStep, text: string, request: OpenRequest): SettledStep {
  const judged = isWhole(step.finishReason) ? judgeAnswerText(text, request.format.validator) : undefined;
  if (judged?.type !== 'accepted') {
    const attempt = attemptOf(judged, step.mechanism);
    return {
      assistant: step.parts,
      results: [],
      corrective: correct(request, rejectionText(attempt, 'native'), attempt),
    };
  }
  const call: ToolCallPart = {
    type: 'tool_call',
    tool_call_id: NATIVE_CALL_ID,
    tool_name: FINALIZER_NAME,
    args: envelope(judged.valueText),
  };
  const others = step.parts.filter(({ type }) => type !== 'text');
  return {
    assistant: [...others, call],
    results: [acceptedResult(call, judged, step.mechanism)],
    corrective: undefined,
  };
}

function askForCall(step: ModelStep, request: OpenRequest): SettledStep {
  const attempt: ReceiptAttempt = { code: 'text_only', mechanism: step.mechanism };
  return { assistant: step.parts, results: [], corrective: correct(request, TEXT_ONLY_TEXT, attempt) };
}

function attemptOf(
  judged: Extract<JudgedCall, { readonly type: 'rejected' }> | undefined,
  mechanism: Mechanism,
): ReceiptAttempt {
  return judged === undefined
    ? { code: 'truncated', mechanism }
    : { code: judged.code, mechanism, issues: judged.issues };
}

function acceptedResult(
  { tool_call_id, tool_name, numbers_exact }: ToolCallPart,
  { value, valueText, repairs }: Extract<JudgedCall, { readonly type: 'accepted' }>,
  mechanism: Mechanism,
): ToolResultPart {
  const attempt: ReceiptAttempt = {
    code: 'ok',
    mechanism,
    ...(repairs.length > 0 && { repairs: repairs.map((repair) => REPAIR_CODES[repair]) }),
    ...(numbers_exact === false && { numbers_exact }),
  };
  return {
    type: 'tool_result',
    tool_call_id,
    tool_name,
    result: value,
    is_error: false,
    result_text: valueText,
    attempt,
  };
}

function errorResult(
  { tool_call_id, tool_name }: ToolCallPart,
  text: string,
  rest: Pick<ToolResultPart, 'synthetic' | 'attempt'>,
): ToolResultPart {
  return { type: 'tool_result', tool_call_id, tool_name, result: text, is_error: true, ...rest };
}

function correct({ requestId }: OpenRequest, text: string, attempt: ReceiptAttempt): CorrectivePart {
  return { type: 'corrective', request_id: requestId, text, attempt };
}

/** Any other finish reason means truncated. */
function isWhole(finishReason: FinishReason): boolean {
  return finishReason === 'stop' || finishReason === 'tool_calls';
}

function textOf(parts: readonly MessagePart[]): string {
  return parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim();
}
