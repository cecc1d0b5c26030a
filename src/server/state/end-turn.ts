/** Owns the ending of a turn, in its fixed order: results for calls without one, the receipt, then the head of the queue. */
import type { UnansweredReason } from '../turn/synthetic-results.ts';
import type { ChatUpdate } from './chat-update.ts';
import type { EndingCode } from './ending-of-turn.ts';
import { promoteHead } from './message-queue.ts';
import { endRunning, type RequestEnding } from './request-rows.ts';
import { answerOutstanding } from './tool-ledger.ts';

/** How a turn ends. */
export interface TurnEnding {
  /** What is said of calls that have no result. */
  readonly calls: UnansweredReason;
  /** The ending of the request, where one is open; by a code alone it is made from the rows. */
  readonly request?: RequestEnding | EndingCode;
}

/** Ends the turn and begins that of the queue's head, if there is one. */
export async function endTurn(update: ChatUpdate, ending: TurnEnding): Promise<void> {
  await closeTurn(update, ending);
  const isNext = update.next.queue_length > 0;
  if (isNext) await promoteHead(update);
  settle(update, isNext ? 'running' : 'waiting');
}

/** Ends the turn and leaves the queue as it is: the chat waits for its user. */
export async function endTurnInError(update: ChatUpdate, ending: TurnEnding, error: string): Promise<void> {
  await closeTurn(update, ending);
  settle(update, 'error');
  update.next.error = error;
}

/** Sets the status, and forgets what belonged to the one before: error, worker, deadline, and a wish to compact. */
export function settle({ next }: ChatUpdate, status: 'waiting' | 'running' | 'error'): void {
  next.status = status;
  next.error = null;
  next.runner = null;
  next.retry = null;
  next.action_deadline = null;
  next.compaction_requested = 0;
}

async function closeTurn(update: ChatUpdate, { calls, request }: TurnEnding): Promise<void> {
  await answerOutstanding(update, calls);
  if (request !== undefined) await endRunning(update, request);
}
