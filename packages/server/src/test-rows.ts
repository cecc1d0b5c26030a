/** Row builders for tests. */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type {
  CorrectivePart,
  ResponseFormatPart,
  ToolCallPart,
  ToolResultPart,
} from '@truecast/client/internal/wire/message-parts';
import type { ReceiptAttempt } from '@truecast/client/internal/wire/receipt';
import type { RowFinish, MessageRow, StepFacts, RowPart } from './contract/rows.ts';
import { turnView, type TurnView } from './format/turn-view.ts';

const USAGE = { inputTokens: 10, outputTokens: 5, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };

export function stepFacts(finishReason: RowFinish = 'stop', facts: Partial<StepFacts> = {}): StepFacts {
  return { finishReason, model: 'scripted', usage: USAGE, ...facts };
}

/** A row without its number, which `numbered` adds. */
export type UnnumberedRow = Omit<MessageRow, 'id'>;

export function row(
  role: MessageRow['role'],
  parts: readonly RowPart[],
  rest: Partial<MessageRow> = {},
): UnnumberedRow {
  return { chatId: 'c', role, parts, visibility: 'all', isCompressed: false, isDeleted: false, ...rest };
}

export function numbered(...rows: readonly UnnumberedRow[]): MessageRow[] {
  return rows.map((one, index) => ({ ...one, id: index + 1 }));
}

const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;

export function formatPart(rest: Partial<ResponseFormatPart> = {}): ResponseFormatPart {
  return {
    type: 'response_format',
    request_id: 'r1',
    name: 'answer',
    schema_text: JSON.stringify(SCHEMA),
    limits: { text_only: 5, max_repairs: 5 },
    ...rest,
  };
}

export function user(text: string, rest: Partial<MessageRow> = {}): UnnumberedRow {
  return row('user', [{ type: 'text', text }], rest);
}

/** A user message that requires an answer. */
export function asks(part: Partial<ResponseFormatPart> = {}, rest: Partial<MessageRow> = {}): UnnumberedRow {
  const format = formatPart(part);
  return row('user', [{ type: 'text', text: 'q' }, format], { requestId: format.request_id, ...rest });
}

export function says(text: string, finishReason: RowFinish = 'stop'): UnnumberedRow {
  return row('assistant', text === '' ? [] : [{ type: 'text', text }], { step: stepFacts(finishReason) });
}

export function call(tool_name: string, args = '{}', rest: Partial<ToolCallPart> = {}): ToolCallPart {
  return { type: 'tool_call', tool_call_id: `call-${tool_name}`, tool_name, args, ...rest };
}

export function calls(...parts: readonly RowPart[]): UnnumberedRow {
  return row('assistant', parts, { step: stepFacts('tool_calls') });
}

export function result(
  tool_name: string,
  value: JsonValue = 'done',
  rest: Partial<ToolResultPart> = {},
): ToolResultPart {
  return {
    type: 'tool_result',
    tool_call_id: `call-${tool_name}`,
    tool_name,
    result: value,
    is_error: false,
    ...rest,
  };
}

export function results(...parts: readonly ToolResultPart[]): UnnumberedRow {
  return row('tool', parts);
}

export const submits: UnnumberedRow = calls(call(FINALIZER_NAME, '{"output":{"n":1}}'));

export const accepted: UnnumberedRow = results(
  result(FINALIZER_NAME, { n: 1 }, { result_text: '{"n":1}', attempt: { code: 'ok' } }),
);

export function rejected(code: ReceiptAttempt['code'] = 'invalid'): UnnumberedRow {
  return results(
    result(FINALIZER_NAME, 'wrong', { is_error: true, synthetic: 'rejected', attempt: { code } }),
  );
}

export function corrects(code: ReceiptAttempt['code'] = 'text_only'): UnnumberedRow {
  const part: CorrectivePart = { type: 'corrective', request_id: 'r1', text: 'again', attempt: { code } };
  return row('user', [part], { visibility: 'model' });
}

export function ended(request_id = 'r1', status: 'succeeded' | 'failed' = 'failed'): UnnumberedRow {
  return row('assistant', [{ type: 'outcome', request_id, status }], { visibility: 'user' });
}

/** Rows of a compaction: a summary, and copies of unanswered messages. */
export function compaction(...copies: readonly string[]): UnnumberedRow[] {
  const made = { visibility: 'model', isCompressed: true } as const;
  return [
    row('user', [{ type: 'summary', text: 'so far' }], made),
    ...copies.map((text) => row('user', [{ type: 'text', text }], made)),
  ];
}

/** View of rows in a chat without plan mode. */
export function viewOf(
  rows: readonly MessageRow[],
  chat: { readonly planMode: boolean } = { planMode: false },
): TurnView {
  return turnView(rows, chat);
}
