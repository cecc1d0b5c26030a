/** Replies of a request that do not go back to the model, because its question is asked anew. Pure. */
import { asksAnew } from '@truecast/core/internal/output/finalizer/answer-loop';
import type { MessageRow } from '../contract/rows.ts';
import { stepsOf } from '../contract/turn-rows.ts';
import type { TurnView } from '../format/turn-view.ts';

/** What the next call leaves out. */
export interface AskedAnew {
  /** Ids of rows that are left out of the prompt. */
  readonly hidden: ReadonlySet<number>;
  /** How often the question was asked anew. Added to the seed. */
  readonly renewals: number;
}

/** Reads it from the rows of an open request. Only steps whose answer is text are left out. */
export function askedAnew({ turn, activeRequest }: Pick<TurnView, 'turn' | 'activeRequest'>): AskedAnew {
  const hidden = new Set<number>();
  let renewals = 0;
  let correcting: readonly number[] = [];
  if (turn === undefined || activeRequest.type !== 'open') return { hidden, renewals };
  for (const step of stepsOf(turn)) {
    const failed = step.step?.mechanism === 'native' ? correctiveAfter(step, turn) : undefined;
    if (failed === undefined) continue;
    const ids = [step.id, failed.id];
    if (!asksAnew({ isValue: failed.code === 'invalid', isCorrecting: correcting.length > 0 })) {
      correcting = ids;
      continue;
    }
    for (const id of [...correcting, ...ids]) hidden.add(id);
    correcting = [];
    renewals += 1;
  }
  return { hidden, renewals };
}

/** Returns the row that tells the model what is wrong with its step. */
function correctiveAfter(
  step: MessageRow,
  turn: readonly MessageRow[],
): { readonly id: number; readonly code: string } | undefined {
  const next = turn[turn.indexOf(step) + 1];
  const part = next?.parts.find(({ type }) => type === 'corrective');
  return next !== undefined && part?.type === 'corrective'
    ? { id: next.id, code: part.attempt.code }
    : undefined;
}

/** Returns the next seed of a seed that was set. */
export function nextSeed(seed: number | undefined, { renewals }: AskedAnew): { readonly seed?: number } {
  return seed === undefined ? {} : { seed: seed + renewals };
}
