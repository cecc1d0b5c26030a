/**
 * Sweep: finds chats without a live worker and expired waits. The rows are the source of truth.
 * Jobs are hints.
 */
import type { StoredChat } from '@truecast/store/internal/tables/chats';
import { isDone } from './rows/chat-update.ts';
import type { MachineContext } from './rows/machine-context.ts';
import { expireRequest, overdueRequests } from './deadlines.ts';
import { resumeQueue } from './chat-changes.ts';
import { expiredDataCleaner } from './retention.ts';
import { runnableChats } from './runnable-chats.ts';
import { expireRequiresAction } from './turn-commits.ts';

/** Maximum number of chats of each kind per sweep. The next sweep handles the others. */
const SWEEP_LIMIT = 100;

export interface Sweep {
  /** Chats with work and no live worker, in a fair order of their owners. */
  readonly runnable: readonly string[];
  /**
   * Chats whose wait for client tools, or for their user after an error, expired. They now have
   * work.
   */
  readonly expired: readonly string[];
  /** Number of requests that failed at their deadline. */
  readonly overdue: number;
  /** False if there are too many chats for one sweep. */
  readonly isComplete: boolean;
}

/**
 * Creates the sweep. It ends expired waits, returns every chat that needs a worker, and
 * periodically deletes expired data.
 */
export function makeSweep(context: MachineContext): () => Promise<Sweep> {
  const clean = expiredDataCleaner(context);
  return async () => {
    await clean();
    return sweep(context);
  };
}

async function sweep(context: MachineContext): Promise<Sweep> {
  const expired: string[] = [];
  for (const chat of await overdueChats(context)) {
    if (await expire(context, chat)) expired.push(chat.id);
  }
  const overdue = await expireRequests(context);
  const runnable = await runnableChats(context, context.store.db, SWEEP_LIMIT);
  const isComplete = runnable.length < SWEEP_LIMIT;
  return { runnable: runnable.map(({ id }) => id), expired, overdue, isComplete };
}

async function expireRequests(context: MachineContext): Promise<number> {
  let expired = 0;
  for (const request of await overdueRequests(context, SWEEP_LIMIT)) {
    if (await isDone(expireRequest(context, request))) expired += 1;
  }
  return expired;
}

type Overdue = Pick<StoredChat, 'id' | 'status'>;

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

/**
 * Returns true if this sweep ended the wait. Results, a deletion or another sweep can be faster.
 */
function expire(context: MachineContext, { id, status }: Overdue): Promise<boolean> {
  return isDone((status === 'error' ? resumeQueue : expireRequiresAction)(context, id));
}
