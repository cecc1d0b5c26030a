/** Changes of an owner's chats and requests since a time. */
import { toChat, type Chat } from '../rows/chat-records.ts';
import type { StateDb } from '../rows/machine-context.ts';
import { LISTED_COLUMNS, toListedRequest, type ListedRequest } from './listed-request.ts';

/** Changes to read. Times are milliseconds since 1970. */
export interface OwnerChangesQuery {
  readonly owner: string;
  /**
   * Earlier changes of requests are left out. Without `chatIds`, earlier changes of chats are left
   * out too.
   */
  readonly since: number;
  /** Only these chats. @default all */
  readonly chatIds?: readonly string[];
  /** Maximum chats. */
  readonly limit: number;
}

/** Chats and requests in their current state, oldest change first. */
export interface OwnerChanges {
  readonly chats: readonly Chat[];
  readonly deleted: readonly DeletedChat[];
  /** Requests of these chats. */
  readonly requests: readonly ListedRequest[];
  /** True if more chats changed than the limit. Then no chat was read. */
  readonly isCut: boolean;
}

export interface DeletedChat {
  readonly id: string;
  readonly version: number;
  readonly at: number;
}

/** Reads the changes. `db` must be one consistent snapshot. */
export async function ownerChanges(db: StateDb, query: OwnerChangesQuery): Promise<OwnerChanges> {
  const { owner, since, chatIds, limit } = query;
  const chats = db.selectFrom('chats').selectAll().where('owner', '=', owner);
  const changed = await (
    chatIds === undefined ? chats.where('updated_at', '>=', since) : chats.where('id', 'in', chatIds)
  )
    .orderBy('updated_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  if (changed.length > limit) return { chats: [], deleted: [], requests: [], isCut: true };
  const kept = changed.filter(({ deleted }) => deleted === 0);
  return {
    chats: kept.map(toChat),
    deleted: changed
      .filter(({ deleted }) => deleted === 1)
      .map(({ id, version, updated_at: at }) => ({ id, version, at })),
    requests: await requestsOf(
      db,
      kept.map(({ id }) => id),
      since,
    ),
    isCut: false,
  };
}

async function requestsOf(db: StateDb, chatIds: readonly string[], since: number): Promise<ListedRequest[]> {
  if (chatIds.length === 0) return [];
  const rows = await db
    .selectFrom('chat_requests')
    .select(LISTED_COLUMNS)
    .where('chat_id', 'in', chatIds)
    .where(({ or, eb }) =>
      or([eb('created_at', '>=', since), eb('started_at', '>=', since), eb('ended_at', '>=', since)]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(toListedRequest);
}
