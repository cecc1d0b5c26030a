/** Chats that need a worker, in a fair order: owners take turns, however many chats each has. */
import { sql } from '@truecast/store/internal/database/sql';
import type { MachineContext, StateDb } from './rows/machine-context.ts';

/** A chat that needs a worker. */
export interface RunnableChat {
  readonly id: string;
  readonly owner: string;
  /** Its position among the chats of the owner that run or wait. 1 is first. */
  readonly rank: number;
}

/** Maximum number of owners of equal rank that are compared. */
const MOST_EQUALS = 64;

/**
 * Returns chats with work and no live worker. Retries count from their time.
 *
 * An owner's first chat comes before the second chat of any owner. Chats with a worker are counted
 * first, so that an owner with many running chats waits for an owner without any. The chats of one
 * owner are ordered by their last change, oldest first.
 */
export async function runnableChats(
  context: MachineContext,
  db: StateDb,
  limit: number,
): Promise<readonly RunnableChat[]> {
  const dead = await deadWorkers(context, db);
  return db
    .selectFrom(readyChats(context, db, dead).as('ready'))
    .leftJoin(activeByOwner(db).as('busy'), 'busy.owner', 'ready.owner')
    .select(['ready.id', 'ready.owner'])
    .select(sql<number>`ready.place + coalesce(busy.active, 0)`.as('rank'))
    .orderBy('rank')
    .orderBy('ready.updated_at')
    .limit(limit)
    .execute();
}

/**
 * Returns the chat that gets a free slot: `chatId`, or the first chat of the owner who is next.
 * Chats of one owner keep the order in which their jobs arrive.
 *
 * Of owners with equal rank, the one whose last turn started here the longest time ago is next. A
 * slot freed by an owner's only running turn must not go to that owner again.
 */
export async function fairestChat(context: MachineContext, chatId: string): Promise<string> {
  const { db } = context.store;
  const first = longestUnserved(context, await runnableChats(context, db, MOST_EQUALS));
  if (first === undefined || first.id === chatId) return chatId;
  const own = await db
    .selectFrom('chats')
    .select('id')
    .where('id', '=', chatId)
    .where('owner', '=', first.owner)
    .where('runner', 'is', null)
    .where('status', 'in', ['running', 'interrupting'])
    .executeTakeFirst();
  return own === undefined ? first.id : chatId;
}

function longestUnserved(
  { recentOwners }: MachineContext,
  ranked: readonly RunnableChat[],
): RunnableChat | undefined {
  const equals = ranked.filter(({ rank }) => rank === ranked[0]?.rank);
  return equals.toSorted((a, b) => recentOwners.lastStart(a.owner) - recentOwners.lastStart(b.owner))[0];
}

/** Returns chats with work. Leases of dead workers count as expired. */
function readyChats({ now, leaseMs }: MachineContext, db: StateDb, dead: readonly string[]) {
  return db
    .selectFrom('chats')
    .leftJoin('chat_leases', (join) => {
      const lease = join
        .onRef('chat_leases.chat_id', '=', 'chats.id')
        .onRef('chat_leases.runner', '=', 'chats.runner')
        .on('chat_leases.heartbeat_at', '>', now() - leaseMs);
      return dead.length > 0 ? lease.on('chat_leases.worker', 'not in', dead) : lease;
    })
    .select(['chats.id', 'chats.owner', 'chats.updated_at'])
    .select(
      sql<number>`row_number() over (partition by chats.owner order by chats.updated_at, chats.id)`.as(
        'place',
      ),
    )
    .where('chats.status', 'in', ['running', 'interrupting'])
    .where('chats.deleted', '=', 0)
    .where('chat_leases.chat_id', 'is', null)
    .where(({ or, eb }) => or([eb('chats.retry_at', 'is', null), eb('chats.retry_at', '<=', now())]));
}

function activeByOwner(db: StateDb) {
  return db
    .selectFrom('chats')
    .select(['owner'])
    .select(({ fn }) => fn.countAll().as('active'))
    .where('status', 'in', ['running', 'interrupting'])
    .where('runner', 'is not', null)
    .groupBy('owner');
}

/** Returns workers that have chats and are known to be dead. */
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
