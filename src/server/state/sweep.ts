/** Owns finding what no job speaks for: chats whose worker is gone, and waits that are over. The rows are the truth, a job only a hint. */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import { runnableChats } from './leases.ts';
import type { MachineContext } from './machine-context.ts';
import { expireRequiresAction } from './turn-commits.ts';

/** How many chats one sweep takes of each kind; the next one takes the others. */
const SWEEP_LIMIT = 100;

/** What a sweep found. */
export interface Sweep {
  /** Chats that have work and no worker that lives. */
  readonly runnable: readonly string[];
  /** Chats whose wait for the client's tools is over; they have work now too. */
  readonly expired: readonly string[];
}

/** Ends the waits that are over, and names every chat that needs a worker. */
export async function sweep(context: MachineContext): Promise<Sweep> {
  const expired: string[] = [];
  for (const chatId of await overdueChats(context)) {
    if (await expire(context, chatId)) expired.push(chatId);
  }
  const runnable = await runnableChats(context, context.store.db, SWEEP_LIMIT);
  return { runnable, expired };
}

async function overdueChats({ store, now }: MachineContext): Promise<string[]> {
  const rows = await store.db
    .selectFrom('chats')
    .select('id')
    .where('status', '=', 'requires_action')
    .where('action_deadline', '<=', now())
    .orderBy('action_deadline')
    .limit(SWEEP_LIMIT)
    .execute();
  return rows.map(({ id }) => id);
}

/** Tells whether this sweep ended the wait: results, a deletion or another sweep may have been faster. */
async function expire(context: MachineContext, chatId: string): Promise<boolean> {
  try {
    await expireRequiresAction(context, chatId);
    return true;
  } catch (error) {
    if (ChatStateError.isInstance(error)) return false;
    throw error;
  }
}
