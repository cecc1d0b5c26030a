/**
 * Owns the order in which a run is played: which step follows from where it stands. Pure, and the only place that decides.
 *
 * A turn asks, in this order:
 * 1. the woken, first in first out, those that they wake in this turn too, until nobody waits or `cascade` were asked; the rest waits for the next turn;
 * 2. the scheduled, in the order of the cast (first those that the last turn had no calls left for); whom they wake waits for the next turn.
 *
 * A member that has appended `maxConsecutive` events in a row is passed over until another speaks; when it was woken, it keeps its place. When the turn's calls are
 * spent, the turn ends. Before anybody is asked, a winner ends the run, and then a spent bound closes it: the judges have the last word, in the order of the cast, until one names a winner.
 */
import type { BudgetExceededErrorCode } from '../../errors/budget-exceeded-error.ts';
import type { CastMember } from './ensemble-scenario.ts';
import type { RunState } from './run-state.ts';
import type { Asked } from './turn-queue.ts';

/** Why a run ends. */
export type EndReason = 'verdict' | 'budget' | 'turns' | 'user_stop' | 'failed';

/** What the conductor does next. */
export type Step =
  | (Asked & { readonly type: 'ask'; readonly isLast: boolean })
  | { readonly type: 'begin-turn'; readonly turn: number }
  /** Nobody is due, and nobody will be without a word from outside. */
  | { readonly type: 'wait' }
  | { readonly type: 'close'; readonly reason: EndReason; readonly limit?: BudgetExceededErrorCode }
  | { readonly type: 'finish'; readonly reason: string }
  | { readonly type: 'finished' };

/** Returns the step that follows from where a run stands that has its first scene. */
export function nextStep(state: RunState, nowMs: number): Step {
  if (state.finished !== undefined) return { type: 'finished' };
  if (state.closing !== undefined) return lastWord(state, state.closing);
  if (state.winner !== undefined) return { type: 'finish', reason: 'verdict' };
  const reached = state.spend.reached(state.limits, nowMs);
  if (reached !== undefined && reached !== 'calls-per-turn')
    return { type: 'close', reason: reached === 'failures' ? 'failed' : 'budget', limit: reached };
  const asked = reached === undefined ? state.queue.next(state.mayAct) : undefined;
  if (asked !== undefined && state.turn > 0) return { type: 'ask', ...asked, isLast: false };
  if (state.turn >= state.limits.turns) return { type: 'close', reason: 'turns' };
  if (state.queue.isIdle) return { type: 'wait' };
  return { type: 'begin-turn', turn: state.turn + 1 };
}

/** A run that failed or was stopped ends without a last word: the model is down, or the user wants no more of it. */
function lastWord(state: RunState, reason: string): Step {
  const isHeard = reason === 'budget' || reason === 'turns';
  const member = isHeard && state.winner === undefined ? nextJudge(state) : undefined;
  return member === undefined ? { type: 'finish', reason } : { type: 'ask', member, isLast: true };
}

function nextJudge({ scenario, lastWords }: RunState): CastMember | undefined {
  return scenario.cast.find(({ name, role }) => role === 'judge' && !lastWords.has(name));
}
