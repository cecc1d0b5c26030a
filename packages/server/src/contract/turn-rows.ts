/** Current turn among the rows: the single definition that all decisions share. Pure. */
import type { ToolCallPart, ToolResultPart } from '@truecast/client/internal/wire/message-parts';
import type { FinishReason } from '@truecast/client/internal/wire/message';
import type { MessageRow, RowPart } from './rows.ts';

/** Returns true for a message that a user sent, not a copy and not removed by an edit. */
export function isUserMessage({ role, visibility, isCompressed, isDeleted }: MessageRow): boolean {
  return role === 'user' && visibility !== 'model' && !isCompressed && !isDeleted;
}

/** Rows of a turn, its user message first. */
export type TurnRows = readonly [MessageRow, ...MessageRow[]];

/**
 * Returns the rows of the current turn, its user message first, without rows removed by an edit.
 * Undefined in a chat without a user message.
 */
export function currentTurn(rows: readonly MessageRow[]): TurnRows | undefined {
  const start = rows.findLastIndex(isUserMessage);
  const [first, ...rest] = rows.slice(start).filter(({ isDeleted }) => !isDeleted);
  return start === -1 || first === undefined ? undefined : [first, ...rest];
}

/** Returns the model calls among the rows of a turn, without those of a compaction. */
export function stepsOf(rows: readonly MessageRow[]): readonly MessageRow[] {
  return rows.filter(
    ({ role, isCompressed, visibility }) => role === 'assistant' && !isCompressed && visibility !== 'user',
  );
}

/** Returns the calls of a message that the server or the client must answer. */
export function openCallsOf({ parts }: MessageRow): readonly ToolCallPart[] {
  return callsOf(parts).filter(({ provider_executed }) => provider_executed !== true);
}

/** Returns all calls among parts, provider-executed ones included. */
export function callsOf(parts: readonly RowPart[]): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool_call');
}

/**
 * Returns the results for the calls of `step` in later rows, up to the next model call.
 *
 * Pass the index of `step` if you call this for every step of a long chat: a search each time would
 * be quadratic.
 */
export function resultsOf(
  step: MessageRow,
  rows: readonly MessageRow[],
  index: number = rows.indexOf(step),
): readonly ToolResultPart[] {
  const results: ToolResultPart[] = [];
  for (let at = index + 1; at < rows.length; at += 1) {
    const row = rows[at];
    if (row === undefined) break;
    if (row.role === 'assistant' && !row.isCompressed && row.visibility !== 'user') break;
    if (row.role !== 'tool' || row.isCompressed) continue;
    for (const part of row.parts) if (part.type === 'tool_result') results.push(part);
  }
  return results;
}

/** Returns the calls of `step` without a result, in order. */
export function unansweredCalls(
  step: MessageRow,
  rows: readonly MessageRow[],
  index?: number,
): readonly ToolCallPart[] {
  const answered = new Set(resultsOf(step, rows, index).map(({ tool_call_id }) => tool_call_id));
  return openCallsOf(step).filter(({ tool_call_id }) => !answered.has(tool_call_id));
}

/**
 * Returns true if a model paused because its provider-executed tools take longer than one reply. It
 * continues in the next call.
 */
export function isPaused(parts: readonly RowPart[], finishReason: FinishReason | undefined): boolean {
  const isOurs = callsOf(parts).some(({ provider_executed }) => provider_executed !== true);
  return finishReason === 'tool_calls' && !isOurs && parts.some(isProvided);
}

/** Returns true for a step without text, calls, and provider tool results. */
export function isEmptyStep({ parts }: Pick<MessageRow, 'parts'>): boolean {
  return parts.every(
    (part) =>
      part.type !== 'tool_call' &&
      (part.type !== 'text' || part.text.trim() === '') &&
      part.type !== 'file' &&
      !isProvided(part),
  );
}

function isProvided(part: RowPart): boolean {
  return (part.type === 'tool_call' || part.type === 'tool_result') && part.provider_executed === true;
}
