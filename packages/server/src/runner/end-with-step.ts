/** Last step of a turn: committed together with the turn's end, if the step's rows determine it. */
import { turnView } from '../format/turn-view.ts';
import { messageRow } from '../state/rows/append-messages.ts';
import { toMessage } from '../state/rows/chat-records.ts';
import type { StepCommit } from '../state/turn-commits.ts';
import { decideTurn } from './decide-turn.ts';
import { endFailedTurn, endFinishedTurn } from './end-of-turn.ts';
import type { LoadedTurn } from './load-turn.ts';
import type { TurnRun } from './turn-run.ts';

/**
 * Ends the turn with its last step in one commit. Returns false, and commits nothing, if the turn
 * continues after the step.
 *
 * @throws ChatStateError as for a commit of the step alone
 */
export async function endWithStep(run: TurnRun, turn: LoadedTurn, step: StepCommit): Promise<boolean> {
  if ((step.calls ?? []).length > 0) return false;
  const after = withStep(turn, step);
  // The fence refuses the commit if a call was reserved since the load.
  const last = { ...step, hasNoCalls: turn.executions.length === 0 };
  const decision = decideTurn(run, after);
  if (decision.type === 'finish') await endFinishedTurn(run, after, last);
  // Another model of the chain may have a larger context: it is chosen after the step's commit.
  else if (decision.type === 'fail' && run.chosenModel.fallbacks === undefined)
    await endFailedTurn(run, after, decision, last);
  else return false;
  return true;
}

/**
 * The turn as a load after the step's commit would return it. The fence of that commit ensures that
 * no other change of the history came between.
 */
export function withStep(turn: LoadedTurn, { messages }: Pick<StepCommit, 'messages'>): LoadedTurn {
  const { chat } = turn;
  const first = (turn.messages.at(-1)?.id ?? 0) + 1;
  const at = { next: chat, revision: chat.version + 1, now: chat.updatedAt };
  const added = messages.map((message, index) => toMessage(messageRow(at, message, first + index)));
  const rows = [...turn.messages, ...added];
  return { ...turn, messages: rows, view: turnView(rows, chat) };
}
