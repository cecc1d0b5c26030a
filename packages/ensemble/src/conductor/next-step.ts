/**
 * Scheduling policy of a run: computes the next step from its state. Pure, and the only place that
 * decides.
 *
 * A turn asks members in this order:
 * 1. Woken members, first in first out, including those woken in this turn, until none wait or
 *    `cascade` were asked. The rest waits for the next turn.
 * 2. Scheduled members in cast order, starting with those that the last turn had no calls left for.
 *    Members they wake wait for the next turn.
 *
 * A member with `maxConsecutive` events in a row is skipped until another speaks; a woken one keeps
 * its place. The turn ends when its calls are spent. Before any member is asked, a winner ends the
 * run, and then an exhausted limit closes it: the judges have the last word, in cast order, until
 * one names a winner.
 */
import type { ReachedLimit } from '../governor/spend.ts';
import type { CastMember } from '../scenario/ensemble-scenario.ts';
import type { RunState } from './run-state.ts';
import type { Asked } from './turn-queue.ts';

/** Reason for the end of a run. */
export type EndReason = 'verdict' | 'budget' | 'turns' | 'user_stop' | 'failed' | 'no-progress';

export type Step =
  | (Asked & { readonly type: 'ask'; readonly isLast: boolean })
  | { readonly type: 'begin-turn'; readonly turn: number }
  /** No member is due, and none will be without an outside event. */
  | { readonly type: 'wait' }
  | {
      readonly type: 'close';
      readonly reason: EndReason;
      readonly limit?: ReachedLimit;
      /** True if the judges rule, although the user stopped the run. */
      readonly last_word?: true;
    }
  | { readonly type: 'finish'; readonly reason: string }
  | { readonly type: 'finished' };

/** A model that answers two whole turns unusably will not comply in the next one. */
const MAX_SILENT_TURNS = 2;

/** Returns the next step of a run that has its first scene. */
export function nextStep(state: RunState, nowMs: number): Step {
  if (state.finished !== undefined) return { type: 'finished' };
  if (state.closing !== undefined) return lastWord(state, state.closing);
  if (state.winner !== undefined) return { type: 'finish', reason: 'verdict' };
  const reached = state.spend.reached(state.limits, nowMs);
  if (reached !== undefined && reached !== 'calls-per-turn') {
    return { type: 'close', reason: reached === 'failures' ? 'failed' : 'budget', limit: reached };
  }
  const asked = reached === undefined ? state.queue.next(state.mayAct) : undefined;
  if (asked !== undefined && state.turn > 0) return { type: 'ask', ...asked, isLast: false };
  if (state.silentTurns >= MAX_SILENT_TURNS) return { type: 'close', reason: 'no-progress' };
  if (state.turn >= state.limits.turns) return { type: 'close', reason: 'turns' };
  if (state.queue.isIdle) return { type: 'wait' };
  return { type: 'begin-turn', turn: state.turn + 1 };
}

/**
 * A failed run ends without a last word, because the model is down or does not comply. So does a
 * stopped one, unless the user asked for it.
 */
function lastWord(state: RunState, reason: string): Step {
  const isHeard = reason === 'budget' || reason === 'turns' || state.hasLastWord;
  const member = isHeard && state.winner === undefined ? nextJudge(state) : undefined;
  return member === undefined ? { type: 'finish', reason } : { type: 'ask', member, isLast: true };
}

function nextJudge({ scenario, lastWords }: RunState): CastMember | undefined {
  return scenario.cast.find(({ name, role }) => role === 'judge' && !lastWords.has(name));
}
