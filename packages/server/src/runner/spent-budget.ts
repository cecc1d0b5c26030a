/** End of a turn whose owner has spent a budget of tokens or money. */
import type { RequestError } from '../contract/receipt.ts';
import { endingOf } from './end-of-turn.ts';
import type { LoadedTurn } from './load-turn.ts';
import type { TurnRun } from './turn-run.ts';

/** Ends the turn before its next model call if a budget is spent. Returns true if it ended. */
export async function endIfSpent({ ports, fence }: TurnRun, turn: LoadedTurn): Promise<boolean> {
  const spent = await ports.machine.spentBudget(turn.chat.ownerId);
  if (spent === undefined) return false;
  const error: RequestError = { code: 'quota_exceeded', message: spent.message };
  const ending = endingOf(turn, { type: 'failed', error });
  const told = { kind: 'quota', message: spent.message, isRetryable: false };
  await ports.machine.failTurn(fence, { ...ending, error: told });
  return true;
}
