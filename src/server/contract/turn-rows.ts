/** Owns finding the current turn among the rows: the one definition that every decision shares. Pure. */
import type { MessagePart, ToolCallPart, ToolResultPart } from './parts.ts';
import type { FinishReason, MessageRow } from './rows.ts';

/** A message that a user sent, in the order of the chat; no copy of one, and none that an edit cut off. */
export function isUserMessage({ role, visibility, isCompressed, isDeleted }: MessageRow): boolean {
  return role === 'user' && visibility !== 'model' && !isCompressed && !isDeleted;
}

/** The rows of the current turn, its user's message first; undefined in a chat without one. Rows that an edit cut off are left out. */
export function currentTurn(rows: readonly MessageRow[]): readonly [MessageRow, ...MessageRow[]] | undefined {
  const start = rows.findLastIndex(isUserMessage);
  const [first, ...rest] = rows.slice(start).filter(({ isDeleted }) => !isDeleted);
  return start === -1 || first === undefined ? undefined : [first, ...rest];
}

/** The calls of a model among the rows of a turn, without what a compaction made. */
export function stepsOf(rows: readonly MessageRow[]): readonly MessageRow[] {
  return rows.filter(
    ({ role, isCompressed, visibility }) => role === 'assistant' && !isCompressed && visibility !== 'user',
  );
}

/** The calls in a message that are ours or the client's to answer. */
export function openCallsOf({ parts }: MessageRow): readonly ToolCallPart[] {
  return callsOf(parts).filter(({ provider_executed }) => provider_executed !== true);
}

/** All calls among parts, the provider's own too. */
export function callsOf(parts: readonly MessagePart[]): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool-call');
}

/**
 * The results that the rows after `step` hold for its calls, until the next call of the model.
 *
 * Who asks for every step of a long chat says where `step` stands: looking for it each time would cost the square of the chat.
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
    for (const part of row.parts) if (part.type === 'tool-result') results.push(part);
  }
  return results;
}

/** The calls of `step` that have no result yet, in their order. */
export function unansweredCalls(
  step: MessageRow,
  rows: readonly MessageRow[],
  index?: number,
): readonly ToolCallPart[] {
  const answered = new Set(resultsOf(step, rows, index).map(({ tool_call_id }) => tool_call_id));
  return openCallsOf(step).filter(({ tool_call_id }) => !answered.has(tool_call_id));
}

/** Tells whether a model stopped only because its provider's own tools take longer than one answer: it goes on when it is asked again. */
export function isPaused(parts: readonly MessagePart[], finishReason: FinishReason | undefined): boolean {
  const isOurs = callsOf(parts).some(({ provider_executed }) => provider_executed !== true);
  return finishReason === 'tool-calls' && !isOurs && parts.some(isProvided);
}

/** Tells whether a step said nothing, called nothing, and was given nothing by its provider's tools. */
export function isEmptyStep({ parts }: MessageRow): boolean {
  return parts.every(
    (part) =>
      part.type !== 'tool-call' &&
      (part.type !== 'text' || part.text.trim() === '') &&
      part.type !== 'file' &&
      !isProvided(part),
  );
}

function isProvided(part: MessagePart): boolean {
  return (part.type === 'tool-call' || part.type === 'tool-result') && part.provider_executed === true;
}
