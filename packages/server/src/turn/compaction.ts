/** Content that survives a compaction: unanswered messages and the model's last feedback. Pure. */
import type { SummaryPart } from '@truecast/client/internal/wire/message-parts';
import type { MessageRow, RowPart } from '../contract/rows.ts';
import type { ActiveRequest } from '../format/active-request.ts';
import type { TurnView } from '../format/turn-view.ts';
import { isUserMessage, openCallsOf, resultsOf, stepsOf } from '../contract/turn-rows.ts';

/** A row that a compaction appends, in this order. */
export type CompactionRow = Pick<MessageRow, 'role' | 'parts' | 'visibility' | 'isCompressed'>;

/** What a compaction keeps. */
export interface CompactionExtent {
  /** True to keep only the latest of the unanswered messages. @default false */
  readonly isShortest?: boolean;
}

/**
 * Builds the rows of a compaction: the summary, then copies that only the model sees. The request
 * stays on the user's original row.
 */
export function compactionRows(
  view: TurnView,
  summary: string,
  { isShortest = false }: CompactionExtent = {},
): readonly CompactionRow[] {
  const part: SummaryPart = { type: 'summary', text: summary };
  const waiting = unansweredMessages(view);
  const copies = (isShortest ? waiting.slice(-1) : waiting)
    .map(({ parts }) => parts.filter(({ type }) => type === 'text' || type === 'file'))
    .filter((parts) => parts.length > 0);
  const told = lastCorrection(view);
  const kept: (readonly RowPart[])[] =
    told === undefined ? copies : [...copies, [{ type: 'text', text: told }]];
  return [[part], ...kept].map((parts) => ({ role: 'user', parts, visibility: 'model', isCompressed: true }));
}

/** User messages without a final answer. */
function unansweredMessages({ rows, turn, activeRequest }: TurnView): readonly MessageRow[] {
  if (turn === undefined || isAnswered(activeRequest, turn)) return [];
  const [message] = turn;
  const before = rows.filter(({ id, isDeleted }) => id < message.id && !isDeleted);
  // Messages directly before it, without a step in between, wait for the same answer.
  const first = before.findLastIndex((row) => !isUserMessage(row)) + 1;
  return [...before.slice(first), message];
}

function isAnswered({ type }: ActiveRequest, turn: readonly MessageRow[]): boolean {
  if (type === 'closed' || type === 'accepted') return true;
  const last = stepsOf(turn).at(-1);
  return type === 'none' && last !== undefined && openCallsOf(last).length === 0;
}

/**
 * Returns the last corrective. Without it, the model would submit the same invalid answer again.
 */
function lastCorrection({ turn, activeRequest }: TurnView): string | undefined {
  const step = turn === undefined ? undefined : stepsOf(turn).at(-1);
  if (turn === undefined || step === undefined || activeRequest.type !== 'open') return undefined;
  const rejected = resultsOf(step, turn).find(({ attempt, is_error }) => is_error && attempt !== undefined);
  if (typeof rejected?.result === 'string') return rejected.result;
  const corrective = turn.at(-1)?.parts.find((part) => part.type === 'corrective');
  return corrective?.type === 'corrective' ? corrective.text : undefined;
}
