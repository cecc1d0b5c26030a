/** Leases of chats: kept by heartbeats, taken over by another worker after they stop. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { toChat, type Chat } from './rows/chat-records.ts';
import { nextFence, updateChat, type ChatUpdate, type Fence } from './rows/chat-update.ts';
import type { MachineContext, StateDb } from './rows/machine-context.ts';

/** A leased chat. */
export interface Acquired {
  readonly fence: Fence;
  readonly chat: Chat;
}

/**
 * Acquires a chat that has work. @throws ChatStateError `leased` while another worker's lease is
 * valid
 */
export function acquire(
  context: MachineContext,
  { chatId, worker }: { readonly chatId: string; readonly worker: string },
): Promise<Acquired> {
  return updateChat(context, chatId, 'acquire', {}, async (update) => {
    const { next, chat } = update;
    if (chat.runner !== null) {
      await assertExpired(update, chat.runner);
      // Live parts are keyed by history and attempt: those of the lost worker must not mix with the
      // next one's.
      next.attempt += 1;
    }
    const runner = context.newId();
    next.runner = runner;
    await writeLease(update.db, { chat_id: chatId, runner, worker, heartbeat_at: update.now });
    return { fence: nextFence(update, runner), chat: toChat(next) };
  });
}

/**
 * Instruction to a worker: continue, end an interrupted turn, or leave the chat to another worker.
 */
export type Standing = 'running' | 'interrupting' | 'lost';

/** Reads a worker's instruction without a write. */
export async function readStanding(db: StateDb, { chatId, runner }: Fence): Promise<Standing> {
  const chat = await db
    .selectFrom('chats')
    .select(['status', 'runner'])
    .where('id', '=', chatId)
    .executeTakeFirst();
  if (chat?.runner !== runner) return 'lost';
  return chat.status === 'interrupting' ? 'interrupting' : 'running';
}

/**
 * Renews the lease and returns the worker's instruction. Changes no version.
 *
 * Single statements without a transaction: a stalled process in a transaction would hold locks that
 * its successor needs.
 */
export async function heartbeat({ store: { db }, now }: MachineContext, fence: Fence): Promise<Standing> {
  const standing = await readStanding(db, fence);
  if (standing === 'lost') return standing;
  await db
    .updateTable('chat_leases')
    .set({ heartbeat_at: now() })
    .where('chat_id', '=', fence.chatId)
    .where('runner', '=', fence.runner)
    .execute();
  return standing;
}

/** Releases a chat, so that another worker does not have to wait for the lease. */
export function release(context: MachineContext, fence: Fence): Promise<void> {
  return updateChat(context, fence.chatId, 'release', { fence }, async ({ next, db }) => {
    next.runner = null;
    await db.deleteFrom('chat_leases').where('chat_id', '=', fence.chatId).execute();
  });
}

/** Chats with work and no live worker, the longest untouched first. */
export async function runnableChats(context: MachineContext, db: StateDb, limit: number): Promise<string[]> {
  const oldest = context.now() - context.leaseMs;
  const dead = await deadWorkers(context, db);
  const rows = await db
    .selectFrom('chats')
    .leftJoin('chat_leases', (join) => {
      const lease = join
        .onRef('chat_leases.chat_id', '=', 'chats.id')
        .onRef('chat_leases.runner', '=', 'chats.runner')
        .on('chat_leases.heartbeat_at', '>', oldest);
      return dead.length > 0 ? lease.on('chat_leases.worker', 'not in', dead) : lease;
    })
    .select('chats.id')
    .where('chats.status', 'in', ['running', 'interrupting'])
    .where('chats.deleted', '=', 0)
    .where('chat_leases.chat_id', 'is', null)
    .orderBy('chats.updated_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Workers with chats that are known to be dead. */
async function deadWorkers({ isDeadWorker }: MachineContext, db: StateDb): Promise<string[]> {
  const rows = await db
    .selectFrom('chats')
    .innerJoin('chat_leases', (join) =>
      join.onRef('chat_leases.chat_id', '=', 'chats.id').onRef('chat_leases.runner', '=', 'chats.runner'),
    )
    .select('chat_leases.worker')
    .distinct()
    .where('chats.status', 'in', ['running', 'interrupting'])
    .execute();
  return rows.map(({ worker }) => worker).filter((worker) => isDeadWorker(worker));
}

async function assertExpired(update: ChatUpdate, runner: string): Promise<void> {
  const { db, chat, context, now, transition, from } = update;
  const lease = await db
    .selectFrom('chat_leases')
    .select(['heartbeat_at', 'worker'])
    .where('chat_id', '=', chat.id)
    .where('runner', '=', runner)
    .executeTakeFirst();
  if (lease === undefined || lease.heartbeat_at <= now - context.leaseMs) return;
  if (context.isDeadWorker(lease.worker)) return;
  throw new ChatStateError('Another worker holds the lease of this chat. Try again once it has expired.', {
    code: 'leased',
    chatId: chat.id,
    transition,
    from,
    limit: context.leaseMs,
  });
}

async function writeLease(
  db: StateDb,
  row: { chat_id: string; runner: string; worker: string; heartbeat_at: number },
): Promise<void> {
  await db
    .insertInto('chat_leases')
    .values(row)
    .onConflict((conflict) => conflict.column('chat_id').doUpdateSet(row))
    .execute();
}
