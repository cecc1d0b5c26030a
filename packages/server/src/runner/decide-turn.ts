/** Decision of a running turn, from its rows and the settings of the run. A last step is committed with the end. */
import { standingOf } from '../finalizer/learn-way.ts';
import type { StepCommit } from '../state/turn-commits.ts';
import { decide, type Decision } from '../turn/decide.ts';
import { endFailedTurn, endFinishedTurn } from './end-of-turn.ts';
import { withMessages, type LoadedTurn } from './load-turn.ts';
import type { TurnRun } from './turn-run.ts';

/** Decides the next action of a turn. */
export function decideTurn(run: TurnRun, turn: LoadedTurn): Decision {
  return decide(turn.view, settingsOf(run, turn));
}

function settingsOf(run: TurnRun, { chat, view }: LoadedTurn): Parameters<typeof decide>[1] {
  const { prepared, ports } = run;
  const { contextTokens, maxOutputTokens } = prepared.model;
  const { activeRequest: active } = view;
  const schema = active.type === 'open' ? active.request.format.schema : undefined;
  return {
    tools: prepared.facts,
    model: prepared.model.capabilities,
    refused: run.climb.refused,
    ...(schema !== undefined && { standing: standingOf({ model: prepared.model, schema }) }),
    isCompactionRequested: chat.isCompactionRequested || run.isTooLong,
    ...(ports.maxSteps !== undefined && { maxSteps: ports.maxSteps }),
    ...(contextTokens !== undefined && { contextLimitTokens: contextTokens }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

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
