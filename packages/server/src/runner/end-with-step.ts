/** Last step of a turn: committed together with the turn's end, if the step's rows determine it. */
import type { StepCommit } from '../state/turn-commits.ts';
import { decideTurn } from './decide-turn.ts';
import { endFailedTurn, endFinishedTurn } from './end-of-turn.ts';
import { withMessages, type LoadedTurn } from './load-turn.ts';
import type { TurnRun } from './turn-run.ts';

/**
 * Ends the turn with its last step in one commit. Returns false, and commits nothing, if the turn
 * continues after the step.
 *
 * @throws ChatStateError as for a commit of the step alone
 */
export async function endWithStep(run: TurnRun, turn: LoadedTurn, step: StepCommit): Promise<boolean> {
  if ((step.calls ?? []).length > 0) return false;
  const after = withMessages(turn, step.messages);
  // The fence rejects the commit if a call was reserved since the load.
  const last = { ...step, hasNoCalls: turn.executions.length === 0 };
  const decision = decideTurn(run, after);
  if (decision.type === 'finish') await endFinishedTurn(run, after, last);
  // Another model of the chain might have a larger context. It is chosen after the step's commit.
  else if (decision.type === 'fail' && run.chosenModel.fallbacks === undefined) {
    await endFailedTurn(run, after, decision, last);
  } else return false;
  return true;
}
