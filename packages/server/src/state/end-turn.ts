/**
 * End of a turn, in a fixed order: results for unanswered calls, the receipt, then the head of the
 * queue. No row that cannot be read prevents it.
 */
import type { UnansweredReason } from '../turn/synthetic-results.ts';
import { toChat, type Chat } from './rows/chat-records.ts';
import { refusal, updateChat, type ChatUpdate, type WriteAuthority } from './rows/chat-update.ts';
import type { EndingCode, ReceiptEnding } from './rows/ending-of-turn.ts';
import type { MachineContext } from './rows/machine-context.ts';
import { promoteHead } from './rows/message-queue.ts';
import { endRunning } from './rows/request-rows.ts';
import { answerOutstanding } from './rows/tool-ledger.ts';
import type { Transition } from './rows/transition-table.ts';

export interface TurnEnding {
  /** Result text for calls without a result. Undefined without any. */
  readonly calls: UnansweredReason | undefined;
  /** The ending of an open request. A single code is completed from the rows. */
  readonly request?: ReceiptEnding | EndingCode;
}

/** Ends the turn and starts the head of the queue, if any. */
export async function endTurn(update: ChatUpdate, ending: TurnEnding): Promise<void> {
  await closeTurn(update, ending);
  const isNext = update.next.queue_length > 0;
  if (isNext) await promoteHead(update);
  settle(update, isNext ? 'running' : 'waiting');
}

/** Ends the running turn: at once if idle, otherwise by its worker. */
export async function interruptTurn(update: ChatUpdate): Promise<void> {
  if (update.next.status === 'requires_action') {
    await endTurn(update, { calls: 'interrupted', request: 'interrupted' });
  } else Object.assign(update.next, { status: 'interrupting', retry_at: null });
}

/**
 * Ends the turn and holds the queue until the deadline. The user can change the model or remove
 * messages.
 */
export async function endTurnInError(update: ChatUpdate, ending: TurnEnding, error: string): Promise<void> {
  await closeTurn(update, ending);
  settle(update, 'error');
  const { next, now, context } = update;
  next.error = error;
  if (next.queue_length > 0) next.action_deadline = now + context.errorHoldMs;
}

/** Clears the deadline of an empty queue. */
export function releaseHold({ next }: ChatUpdate): void {
  if (next.status === 'error' && next.queue_length === 0) next.action_deadline = null;
}

/** Rejects the end of a wait before its deadline. @throws ChatStateError `not-allowed` */
export function assertOverdue(update: ChatUpdate): void {
  const { action_deadline: deadline } = update.chat;
  if (deadline === null || deadline <= update.now) return;
  throw refusal(update, 'not-allowed', 'The deadline of this wait has not passed. Sweep again later.');
}

/**
 * Sets the status and clears the fields of the previous one: error, worker, retry, deadline, and a
 * requested compaction.
 */
export function settle({ next }: ChatUpdate, status: 'waiting' | 'running' | 'error'): void {
  next.status = status;
  next.error = null;
  next.runner = null;
  next.retry = null;
  next.retry_at = null;
  next.action_deadline = null;
  next.compaction_requested = 0;
}

/**
 * Changes a chat and returns it. Its row is parsed after the commit: a column that cannot be read
 * must not undo an ending, an interruption or a deadline.
 *
 * @throws ChatStateError as `updateChat`; `invalid-state` after the commit
 */
export async function changeChat(
  context: MachineContext,
  chatId: string,
  transition: Transition,
  authority: Omit<WriteAuthority<never>, 'idempotency'>,
  work: (update: ChatUpdate) => Promise<void>,
): Promise<Chat> {
  const row = await updateChat(context, chatId, transition, authority, async (update) => {
    await work(update);
    return update.next;
  });
  return toChat(row);
}

async function closeTurn(update: ChatUpdate, { calls, request }: TurnEnding): Promise<void> {
  if (calls !== undefined) await answerOutstanding(update, calls);
  if (request !== undefined) await endRunning(update, request);
}
