/** Decision of a running turn, from its rows and the settings of the run. */
import { standingOf } from '../finalizer/learn-way.ts';
import { decide, type Decision } from '../turn/decide.ts';
import type { LoadedTurn } from './load-turn.ts';
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
