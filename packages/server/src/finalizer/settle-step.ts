/**
 * Result of one model call with an open request: every submission is evaluated before the step is
 * committed. Pure.
 */
import { isByText } from '@truecast/model/internal/ladder/choose-way';
import { FINALIZER_NAME, siblingText } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { envelope } from '@truecast/core/internal/output/judge/judged';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { RUNAWAY } from '@truecast/model/internal/runaway/runaway-reply';
import type {
  CorrectivePart,
  ToolCallPart,
  ToolResultPart,
} from '@truecast/client/internal/wire/message-parts';
import type { ReceiptAttempt, ReceiptMode } from '@truecast/client/internal/wire/receipt';
import type { RowFinish, RowPart } from '../contract/rows.ts';
import { REPAIR_CODES } from '../contract/wire-codes.ts';
import type { OpenRequest } from '../format/active-request.ts';
import { callsOf, isEmptyStep, isPaused } from '../contract/turn-rows.ts';
import { keptCall } from './kept-arguments.ts';
import { judgeStep, type JudgedCall } from './judge-call.ts';
import { rejectionText, textOnlyText } from './rejection-texts.ts';

export interface ModelStep {
  readonly parts: readonly RowPart[];
  readonly finishReason: RowFinish;
  readonly mode: ReceiptMode;
  /** True if a copy of the demonstration does not count as an answer. @default false */
  readonly isDemonstrated?: boolean | undefined;
}

/** The rows to commit in one transaction. */
export interface SettledStep {
  readonly assistant: readonly RowPart[];
  /** Parts of the following tool row. Empty if the calls must still run. */
  readonly results: readonly ToolResultPart[];
  /** Part of a final row for the model only. */
  readonly corrective: CorrectivePart | undefined;
}

function settled(
  assistant: SettledStep['assistant'],
  results: SettledStep['results'] = [],
  corrective?: CorrectivePart,
): SettledStep {
  return { assistant, results, corrective };
}

/** Returns why a step without a call is not the answer. A client never gets the corrective itself. */
export function attemptWithoutCall({
  assistant: parts,
  corrective,
}: Pick<SettledStep, 'assistant' | 'corrective'>): ReceiptAttempt | undefined {
  return corrective?.attempt ?? (isEmptyStep({ parts }) ? { code: 'empty' } : undefined);
}

const NATIVE_CALL_ID = 'native';

/**
 * Evaluates a step before it is committed: the answer is accepted, rejected with feedback, or
 * missing.
 */
export function settleStep(step: ModelStep, request: OpenRequest): SettledStep {
  // A refusal ends the turn. Its calls can be truncated, and do not run.
  if (step.finishReason === 'content_filter') return withoutCalls(step, request, 'refused');
  if (step.finishReason === RUNAWAY) return settleRunaway(step, request);
  const calls = callsOf(step.parts);
  const submission = calls.find(
    (call) => call.tool_name === FINALIZER_NAME && call.provider_executed !== true,
  );
  if (submission !== undefined) {
    return calls.length > 1 ? refuseBatch(step, calls, submission) : settleCall(step, submission, request);
  }
  const isOpen = calls.some(({ provider_executed }) => provider_executed !== true);
  // Nothing of the step is an answer, or its calls must still run.
  if (isOpen || isPaused(step.parts, step.finishReason)) return settled(step.parts);
  // A provider-executed search does not end a step. Without feedback, the model would only be
  // called again to continue.
  return calls.length > 0 ? askForCall(step, request) : settleText(step, request);
}

/** Only an answer that was complete before is taken from it. The question is asked anew. */
function settleRunaway(step: ModelStep, request: OpenRequest): SettledStep {
  const { parts, mode, isDemonstrated } = step;
  const reply = { text: textOf(parts, 'text'), ending: RUNAWAY } as const;
  const isText = isByText(mode);
  const judged = judgeStep(reply, request.format, isText ? 'text' : 'call', isDemonstrated);
  return judged.type === 'accepted' ? storeAsCall(step, judged) : withoutCalls(step, request, RUNAWAY);
}

function withoutCalls(
  { parts, mode }: ModelStep,
  request: OpenRequest,
  code: 'refused' | 'runaway',
): SettledStep {
  const attempt: ReceiptAttempt = { code, mode };
  const assistant = parts.filter((part) => part.type !== 'tool_call' || part.provider_executed === true);
  return settled(assistant, [], correct(request, rejectionText(attempt, mode), attempt));
}

function settleCall(step: ModelStep, call: ToolCallPart, request: OpenRequest): SettledStep {
  const { parts, finishReason, mode } = step;
  const { judged, result } = answerCall(call, request, mode, endingOf(finishReason));
  const stored = judged.type === 'accepted' ? readable(call, judged) : keptCall(call);
  return settled(
    parts.map((part) => (part === call ? stored : part)),
    [result],
  );
}

/** Evaluates a submission. One that was committed without a result was whole. */
export function answerCall(
  call: ToolCallPart,
  { format }: OpenRequest,
  mode: ReceiptMode,
  ending: 'whole' | 'cut' = 'whole',
): { readonly judged: JudgedCall; readonly result: ToolResultPart } {
  const judged = judgeStep({ submissions: [{ text: call.args }], ending }, format);
  if (judged.type === 'accepted') return { judged, result: acceptedResult(call, judged, mode) };
  const attempt = attemptOf(judged, mode);
  return { judged, result: errorResult(call, rejectionText(attempt), { synthetic: 'rejected', attempt }) };
}

/** A provider takes arguments as JSON only, so text around them is not stored. */
function readable(call: ToolCallPart, { valueText }: AcceptedCall): ToolCallPart {
  return parseJson(call.args).success ? call : { ...call, args: envelope(valueText) };
}

type AcceptedCall = Extract<JudgedCall, { readonly type: 'accepted' }>;

/** A batch with the finalizer runs no call. Provider-executed calls already have results. */
function refuseBatch(step: ModelStep, calls: readonly ToolCallPart[], counted: ToolCallPart): SettledStep {
  const attempt: ReceiptAttempt = { code: 'not_alone', mode: step.mode };
  const isSubmission = ({ tool_name }: ToolCallPart): boolean => tool_name === FINALIZER_NAME;
  const results = calls
    .filter(({ provider_executed }) => provider_executed !== true)
    .map((call) => {
      const text = isSubmission(call) ? rejectionText(attempt) : siblingText(FINALIZER_NAME);
      return errorResult(
        call,
        text,
        call === counted ? { synthetic: 'rejected', attempt } : { synthetic: 'not_run' },
      );
    });
  const assistant = step.parts.map((part) =>
    part.type === 'tool_call' && isSubmission(part) ? keptCall(part) : part,
  );
  return settled(assistant, results);
}

/**
 * A text that is exactly the answer is accepted, whatever the mode: servers ignore a forced
 * call. Once accepted, it is stored as a server-created call.
 */
function settleText(step: ModelStep, request: OpenRequest): SettledStep {
  const { parts, mode, finishReason, isDemonstrated } = step;
  const text = textOf(parts, 'text');
  const reply = { text, reasoning: textOf(parts, 'reasoning'), ending: endingOf(finishReason) };
  const isText = isByText(mode);
  const judged = judgeStep(reply, request.format, isText ? 'text' : 'call', isDemonstrated);
  if (judged.type === 'accepted') return storeAsCall(step, judged);
  if (text === '') return settled(parts);
  if (!isText) return askForCall(step, request, judged);
  const attempt = attemptOf(judged, mode);
  return settled(parts, [], correct(request, rejectionText(attempt, 'native'), attempt));
}

function storeAsCall({ parts, mode }: ModelStep, judged: AcceptedCall): SettledStep {
  const call: ToolCallPart = {
    type: 'tool_call',
    tool_call_id: NATIVE_CALL_ID,
    tool_name: FINALIZER_NAME,
    args: envelope(judged.valueText),
  };
  const others = parts.filter(({ type }) => type !== 'text');
  return settled([...others, call], [acceptedResult(call, judged, mode)]);
}

/** Text is not a submission. If it is JSON of another shape, the model learns what does not fit. */
function askForCall({ parts, mode }: ModelStep, request: OpenRequest, judged?: JudgedCall): SettledStep {
  const issues = judged?.type === 'rejected' && judged.code === 'invalid' ? judged.issues : [];
  const attempt: ReceiptAttempt = { code: 'text_only', mode, ...(issues.length > 0 && { issues }) };
  return settled(parts, [], correct(request, textOnlyText(issues), attempt));
}

function attemptOf(judged: Exclude<JudgedCall, AcceptedCall>, mode: ReceiptMode): ReceiptAttempt {
  if (judged.type === 'none') return { code: 'empty', mode };
  const { code, issues } = judged;
  return { code, mode, ...(issues.length > 0 && { issues }) };
}

function acceptedResult(
  { tool_call_id, tool_name, numbers_exact }: ToolCallPart,
  { value, valueText, repairs }: AcceptedCall,
  mode: ReceiptMode,
): ToolResultPart {
  const attempt: ReceiptAttempt = {
    code: 'ok',
    mode,
    ...(repairs.length > 0 && { repairs: repairs.filter(isRepairKind).map((kind) => REPAIR_CODES[kind]) }),
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

function isRepairKind(kind: string): kind is keyof typeof REPAIR_CODES {
  return Object.hasOwn(REPAIR_CODES, kind);
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

/** After any other finish reason the reply can be cut. A filtered one was settled before. */
function endingOf(finishReason: RowFinish): 'whole' | 'cut' {
  return finishReason === 'stop' || finishReason === 'tool_calls' ? 'whole' : 'cut';
}

function textOf(parts: readonly RowPart[], type: 'text' | 'reasoning'): string {
  return parts
    .map((part) => (part.type === type ? part.text : ''))
    .join('')
    .trim();
}
