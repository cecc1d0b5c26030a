/** Owns finding what no job speaks for: chats whose worker is gone, and waits that are over. The rows are the truth, a job only a hint. */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import type { ChatRow } from '../../store/tables/chats.ts';
import { oldAnswersForgetter } from './idempotency.ts';
import { runnableChats } from './leases.ts';
import type { MachineContext } from './machine-context.ts';
import { resumeQueue } from './chat-changes.ts';
import { expireRequiresAction } from './turn-commits.ts';

/** How many chats one sweep takes of each kind; the next one takes the others. */
const SWEEP_LIMIT = 100;

/** What a sweep found. */
export interface Sweep {
  /** Chats that have work and no worker that lives. */
  readonly runnable: readonly string[];
  /** Chats whose wait is over, for the client's tools or for their user after an error; they have work now too. */
  readonly expired: readonly string[];
}

/** Makes the sweep: it ends the waits that are over, names every chat that needs a worker, and now and then forgets what is kept for a time only. */
export function makeSweep(context: MachineContext): () => Promise<Sweep> {
  const forgetOld = oldAnswersForgetter(context);
  return async () => {
    await forgetOld();
    return sweep(context);
  };
}

async function sweep(context: MachineContext): Promise<Sweep> {
  const expired: string[] = [];
  for (const chat of await overdueChats(context)) {
    if (await expire(context, chat)) expired.push(chat.id);
  }
  const runnable = await runnableChats(context, context.store.db, SWEEP_LIMIT);
  return { runnable, expired };
}

type Overdue = Pick<ChatRow, 'id' | 'status'>;

async function overdueChats({ store, now }: MachineContext): Promise<readonly Overdue[]> {
  return store.db
    .selectFrom('chats')
    .select(['id', 'status'])
    .where('status', 'in', ['requires_action', 'error'])
    .where('action_deadline', '<=', now())
    .orderBy('action_deadline')
    .limit(SWEEP_LIMIT)
    .execute();
}

/** Tells whether this sweep ended the wait: results, a deletion or another sweep may have been faster. */
async function expire(context: MachineContext, { id, status }: Overdue): Promise<boolean> {
  try {
    await (status === 'error' ? resumeQueue : expireRequiresAction)(context, id);
    return true;
  } catch (error) {
    if (ChatStateError.isInstance(error)) return false;
    throw error;
  }
}
