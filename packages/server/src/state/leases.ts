/** Leases of chats. Heartbeats keep a lease, and another worker takes it over after they stop. */
import { write } from '@truecast/store/internal/write';
import type { Turn } from './chat-reads.ts';
import { toChat } from './rows/chat-records.ts';
import { nextFence, refusal, updateChat, type ChatUpdate, type Fence } from './rows/chat-update.ts';
import type { MachineContext, StateDb } from './rows/machine-context.ts';
import type { NewTurns } from './rows/new-turns.ts';

/** Context of changes that keep or take new turns. */
export interface AcquiringContext extends MachineContext {
  readonly newTurns: NewTurns<Turn>;
}

export interface Acquired {
  readonly fence: Fence;
  /** As loaded after the commit, if the rows are known without a read. */
  readonly turn?: Turn;
  /** The worker whose lease had expired, or that is dead. Absent if the chat had none. */
  readonly lostWorker?: string;
}

/** A chat and the worker that wants it. */
export interface AcquireOptions {
  readonly chatId: string;
  readonly worker: string;
  /** True if the reason for a wait has ended before its time. @default false */
  readonly isEarly?: boolean;
}

/**
 * Acquires a chat that has work.
 *
 * @throws ChatStateError `leased` while another worker's lease is valid, `not-allowed` before the
 *   time of a retry
 */
export function acquire(
  context: AcquiringContext,
  { chatId, worker, isEarly = false }: AcquireOptions,
): Promise<Acquired> {
  return updateChat(context, chatId, 'acquire', {}, async (update) => {
    const { next, chat } = update;
    if (!isEarly) assertDue(update);
    let lostWorker: string | undefined;
    if (chat.runner !== null) {
      lostWorker = await assertExpired(update, chat.runner);
      // Live parts are keyed by history and attempt, so that parts of the lost worker do not mix
      // with those of the next one.
      next.attempt += 1;
    }
    const runner = context.newId();
    next.runner = runner;
    next.retry_at = null;
    context.recentOwners.add(chat.owner);
    await writeLease(update, { chat_id: chatId, runner, worker, heartbeat_at: update.now });
    const fence = nextFence(update, runner);
    if (lostWorker !== undefined) return { fence, lostWorker };
    const turn = context.newTurns.take(chat);
    // Only a row that this process has just written is parsed here: any other can be unreadable, and
    // its turn must then end.
    return turn === undefined ? { fence } : { fence, turn: { ...turn, chat: toChat(next) } };
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
 * Uses single statements, because a stalled process in a transaction would hold locks that its
 * successor needs.
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
  return updateChat(context, fence.chatId, 'release', { fence }, releaseLease);
}

/** Removes the worker and its lease from a chat. */
export async function releaseLease({ next, tx, db }: ChatUpdate): Promise<void> {
  next.runner = null;
  await write(tx, db.deleteFrom('chat_leases').where('chat_id', '=', next.id));
}

function assertDue(update: ChatUpdate): void {
  const { retry_at: retryAt } = update.chat;
  if (retryAt === null || retryAt <= update.now) return;
  const message = 'The chat waits to retry a model call. A sweep finds it when the retry is due.';
  throw refusal(update, 'not-allowed', message);
}

/** Returns the worker of the expired lease. */
async function assertExpired(update: ChatUpdate, runner: string): Promise<string | undefined> {
  const { db, chat, context, now } = update;
  const lease = await db
    .selectFrom('chat_leases')
    .select(['heartbeat_at', 'worker'])
    .where('chat_id', '=', chat.id)
    .where('runner', '=', runner)
    .executeTakeFirst();
  if (lease === undefined || lease.heartbeat_at <= now - context.leaseMs) return lease?.worker;
  if (context.isDeadWorker(lease.worker)) return lease.worker;
  const message = 'Another worker holds the lease of this chat. Try again once it has expired.';
  throw refusal(update, 'leased', message, { limit: context.leaseMs });
}

/** Writes the lease of a chat's new worker. */
export async function writeLease(
  { tx, db }: ChatUpdate,
  row: { chat_id: string; runner: string; worker: string; heartbeat_at: number },
): Promise<void> {
  const insert = db.insertInto('chat_leases').values(row);
  await write(
    tx,
    insert.onConflict((conflict) => conflict.column('chat_id').doUpdateSet(row)),
  );
}
