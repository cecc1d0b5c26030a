/** Fallbacks of a turn: another model answers while the service of the chat's model fails. */
import { startClimb } from '@truecast/model/internal/ladder/climb';
import type { FailureClass } from '../turn/failure-causes.ts';
import type { LoadedTurn } from './load-turn.ts';
import { prepareTurn } from './prepare-turn.ts';
import { pacedCaller, type TurnRun } from './turn-run.ts';

/** Failures of a service or an account. Another model might answer the same prompt. */
const OF_SERVICE: ReadonlySet<FailureClass['kind']> = new Set([
  'rate_limit',
  'usage_limit',
  'overloaded',
  'timeout',
  'connection',
  'server',
  'auth',
]);

/** Switches to the first model of the chain that did not fail in this run and accepts calls now. */
export async function useHealthyModel(run: TurnRun, turn: LoadedTurn): Promise<void> {
  const { chosenModel, ports } = run;
  if (chosenModel.fallbacks === undefined) return;
  const id = healthyModel(run) ?? chosenModel.id;
  if (id === run.prepared.model.id) return;
  run.prepared = await prepareTurn(ports, turn, id);
  // Another provider accepts other modes.
  run.climb = startClimb();
}

/** Marks the model as failed. Returns true if another model of the chain can answer. */
export function failOver(run: TurnRun, { kind }: FailureClass): boolean {
  if (run.chosenModel.fallbacks === undefined || !OF_SERVICE.has(kind)) return false;
  run.failedModels.add(run.prepared.model.id);
  return healthyModel(run) !== undefined;
}

function healthyModel(run: TurnRun): string | undefined {
  const { chosenModel, failedModels, ports } = run;
  const chain = [chosenModel.id, ...(chosenModel.fallbacks ?? [])];
  const isAllowed = (id: string): boolean => ports.pacing?.peek(pacedCaller(run, id)).isAllowed ?? true;
  return chain.find((id) => !failedModels.has(id) && isAllowed(id));
}
