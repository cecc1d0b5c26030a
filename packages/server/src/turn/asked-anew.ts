/** Replies of a request that do not go back to the model, because its question is asked anew. Pure. */
import { asksAnew, tellsSchema } from '@truecast/core/internal/output/finalizer/answer-loop';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { ReceiptAttempt } from '@truecast/client/internal/wire/receipt';
import type { MessageRow, RowPart } from '../contract/rows.ts';
import { stepsOf } from '../contract/turn-rows.ts';
import type { TurnView } from '../format/turn-view.ts';

/** What the next call leaves out. */
export interface AskedAnew {
  /** Ids of rows that are left out of the prompt. */
  readonly hidden: ReadonlySet<number>;
  /** How often the question was asked anew. Added to the seed. */
  readonly renewals: number;
  /** True if the schema is told in words. */
  readonly isTold: boolean;
}

/**
 * Reads it from the rows of an open request. Steps that also work are never left out.
 *
 * @param isByText - true if the next answer is text, so that no call is to be asked for
 */
export function askedAnew(
  { turn, activeRequest }: Pick<TurnView, 'turn' | 'activeRequest'>,
  isByText: boolean = false,
): AskedAnew {
  const hidden = new Set<number>();
  let renewals = 0;
  let isTold = false;
  let correcting: readonly number[] = [];
  if (turn === undefined || activeRequest.type !== 'open') return { hidden, renewals, isTold };
  for (const step of stepsOf(turn)) {
    const failed = failedAnswer(step, turn);
    if (failed === undefined) continue;
    const { isValue, code } = failed;
    // A text instead of a call is told in words how to answer.
    const isCorrected = failed.isText && !isByText;
    const ids = isCorrected ? failed.ids.slice(0, 1) : failed.ids;
    if (!asksAnew({ isValue, isCorrecting: correcting.length > 0 })) {
      correcting = ids;
      continue;
    }
    for (const id of [...correcting, ...ids]) hidden.add(id);
    correcting = [];
    renewals += 1;
    isTold ||= !isCorrected && tellsSchema(code);
  }
  return { hidden, renewals, isTold };
}

interface FailedAnswer {
  /** Rows of the answer, and of what the model is told about it. */
  readonly ids: readonly number[];
  /** True if it contains a value that was refused. */
  readonly isValue: boolean;
  /** True for text instead of a call. */
  readonly isText: boolean;
  readonly code: ReceiptAttempt['code'];
}

/** Returns a step that is nothing but a refused answer. */
function failedAnswer(step: MessageRow, turn: readonly MessageRow[]): FailedAnswer | undefined {
  const next = turn[turn.indexOf(step) + 1];
  const attempt = next?.parts.map(attemptOf).find((each) => each !== undefined);
  const hasWork = step.parts.some(
    (part) => part.type.startsWith('tool_') && 'tool_name' in part && part.tool_name !== FINALIZER_NAME,
  );
  if (next === undefined || attempt === undefined || hasWork) return undefined;
  const { code, issues = [] } = attempt;
  const isText = code === 'text_only' && issues.length === 0;
  const isRead = issues.some(({ path }) => path !== '') || (code === 'text_only' && !isText);
  const isValue = code === 'invalid' || code === 'not_alone' || isRead;
  return { ids: [step.id, next.id], isValue, isText, code };
}

function attemptOf(part: RowPart): ReceiptAttempt | undefined {
  if (part.type === 'corrective') return part.attempt;
  return part.type === 'tool_result' && part.is_error ? part.attempt : undefined;
}

/** Returns the next seed of a seed that was set. */
export function nextSeed(
  seed: number | undefined,
  { renewals }: Pick<AskedAnew, 'renewals'>,
): { readonly seed?: number } {
  return seed === undefined ? {} : { seed: seed + renewals };
}
