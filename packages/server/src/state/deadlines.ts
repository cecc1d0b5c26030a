/** Deadlines of requests: counted from their acceptance, and enforced by the sweep. */
import type { ChatRequestRow } from '@truecast/store/internal/tables/chats';
import { stopChildren } from './children.ts';
import { changeChat, endTurn, releaseHold } from './end-turn.ts';
import type { Chat } from './rows/chat-records.ts';
import { refusal, type ChatUpdate } from './rows/chat-update.ts';
import type { MachineContext } from './rows/machine-context.ts';
import { removeQueued } from './rows/message-queue.ts';
import { endQueued } from './rows/request-rows.ts';

/** A request past its deadline. */
export interface OverdueRequest {
  readonly chatId: string;
  readonly requestId: string;
}

/** Open requests past their deadline, the most overdue first. */
export async function overdueRequests(
  { store, now }: MachineContext,
  limit: number,
): Promise<readonly OverdueRequest[]> {
  return store.db
    .selectFrom('chat_requests')
    .select(['chat_id as chatId', 'id as requestId'])
    .where('status', 'in', ['queued', 'running'])
    .where('deadline_at', '<=', now())
    .orderBy('deadline_at')
    .limit(limit)
    .execute();
}

/**
 * Ends a request past its deadline as failed: a queued message leaves the queue, and a turn ends at
 * once. Its worker loses the chat, as after an edit.
 *
 * @throws ChatStateError `not-allowed` before the deadline, and for a request that has ended or is
 *   being interrupted
 */
export function expireRequest(context: MachineContext, { chatId, requestId }: OverdueRequest): Promise<Chat> {
  return changeChat(context, chatId, 'expireRequest', {}, async (update) => {
    const request = await readOverdue(update, requestId);
    if (request.status === 'queued') await expireQueued(update, request);
    else {
      await endTurn(update, { calls: 'deadline', request: 'deadline_exceeded' });
      await stopChildren(update);
    }
  });
}

type Overdue = Pick<ChatRequestRow, 'id' | 'status' | 'queued_id'>;

async function readOverdue(update: ChatUpdate, requestId: string): Promise<Overdue> {
  const { db, chat, now } = update;
  const request = await db
    .selectFrom('chat_requests')
    .select(['id', 'status', 'queued_id'])
    .where('chat_id', '=', chat.id)
    .where('id', '=', requestId)
    .where('status', 'in', ['queued', 'running'])
    .where('deadline_at', '<=', now)
    .executeTakeFirst();
  const isEnding = request?.status === 'running' && chat.status === 'interrupting';
  if (request !== undefined && !isEnding) return request;
  const message = 'The deadline of the request has not passed, or the request has ended. Read its receipt.';
  throw refusal(update, 'not-allowed', message, { subject: requestId });
}

async function expireQueued(update: ChatUpdate, { id, queued_id }: Overdue): Promise<void> {
  if (queued_id !== null) await removeQueued(update, queued_id);
  await endQueued(update, 'deadline_exceeded', id);
  releaseHold(update);
}
