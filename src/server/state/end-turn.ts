/** Owns the ending of a turn, in its fixed order: results for calls without one, the receipt, then the head of the queue. */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import type { UnansweredReason } from '../turn/synthetic-results.ts';
import type { ChatUpdate } from './chat-update.ts';
import type { EndingCode, RequestEnding } from './ending-of-turn.ts';
import { promoteHead } from './message-queue.ts';
import { endRunning } from './request-rows.ts';
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

/** Ends the turn under way: at once where nothing runs, otherwise its worker ends it. */
export async function interruptTurn(update: ChatUpdate): Promise<void> {
  if (update.next.status === 'requires_action')
    await endTurn(update, { calls: 'interrupted', request: 'interrupted' });
  else update.next.status = 'interrupting';
}

/** Ends the turn and holds the queue: its user may change the model or take messages away, until the deadline. */
export async function endTurnInError(update: ChatUpdate, ending: TurnEnding, error: string): Promise<void> {
  await closeTurn(update, ending);
  settle(update, 'error');
  const { next, now, context } = update;
  next.error = error;
  if (next.queue_length > 0) next.action_deadline = now + context.errorHoldMs;
}

/** Forgets the deadline of a queue that is empty now. */
export function releaseHold({ next }: ChatUpdate): void {
  if (next.status === 'error' && next.queue_length === 0) next.action_deadline = null;
}

/** Refuses to end a wait before its time. @throws ChatStateError `not-allowed` */
export function assertOverdue({ chat, now, transition, from }: ChatUpdate): void {
  if (chat.action_deadline === null || chat.action_deadline <= now) return;
  throw new ChatStateError('The deadline of this wait has not passed. Sweep again later.', {
    code: 'not-allowed',
    chatId: chat.id,
    transition,
    from,
  });
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
