/** Shares of receipts: links that show one receipt to a reader without a token, until they expire or are revoked. */
import type { ReceiptShareRow } from '@truecast/store/internal/tables/chats';
import type { Store } from '@truecast/store/internal/database/store';
import { randomUUID } from 'node:crypto';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { writeAudit } from '../rows/audit-log.ts';
import { lockChat } from '../rows/chat-update.ts';
import { toRequest, type RequestRecord } from '../rows/chat-records.ts';
import type { StateDb } from '../rows/machine-context.ts';
import { chatNotFound } from '../rows/transition-table.ts';

/** A share without its key, of which only the hash is stored. Times are milliseconds since 1970. */
export interface ReceiptShare {
  readonly id: string;
  readonly owner: string;
  readonly requestId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

type SharedRequest = Pick<ReceiptShare, 'owner' | 'requestId'>;

export interface NewShare extends SharedRequest {
  readonly hash: string;
  readonly lifeMs: number;
  /** The caller, for the audit log. */
  readonly actor: string;
}

/** Stores a share of an owner's receipt, and deletes those of the receipt that expired. @throws ChatStateError */
export async function addShare(store: Store, newShare: NewShare, now: number): Promise<ReceiptShare> {
  const { owner, requestId, hash, lifeMs, actor } = newShare;
  const { chatId } = await readOwn(store.db, newShare);
  const share = { id: randomUUID(), owner, requestId, createdAt: now, expiresAt: now + lifeMs };
  await store.transaction(async (tx) => {
    // A deletion of the chat comes before, and is seen, or after, and deletes the share.
    const chat = await lockChat(tx, chatId);
    if (chat?.deleted !== 0) throw chatNotFound(chatId);
    const { db } = tx;
    await db
      .deleteFrom('receipt_shares')
      .where('request_id', '=', requestId)
      .where('expires_at', '<=', now)
      .execute();
    await db
      .insertInto('receipt_shares')
      .values({
        id: share.id,
        owner,
        chat_id: chatId,
        request_id: requestId,
        hash,
        created_at: now,
        expires_at: share.expiresAt,
      })
      .execute();
    await writeAudit(db, { action: 'receipt_shared', actor, owner, subject: requestId }, now);
  });
  return share;
}

/** Lists the valid shares of a receipt, newest first. */
export async function listShares(
  db: StateDb,
  { owner, requestId }: SharedRequest,
  now: number,
): Promise<ReceiptShare[]> {
  await readOwn(db, { owner, requestId });
  const rows = await db
    .selectFrom('receipt_shares')
    .selectAll()
    .where('request_id', '=', requestId)
    .where('owner', '=', owner)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(toShare);
}

export interface SharedId extends SharedRequest {
  readonly id: string;
  readonly actor: string;
}

/** Deletes a share. Returns false if the receipt has no such share. */
export async function revokeShare(store: Store, share: SharedId, now: number): Promise<boolean> {
  const { id, owner, requestId, actor } = share;
  return await store.transaction(async ({ db }) => {
    const deleted = await db
      .deleteFrom('receipt_shares')
      .where('id', '=', id)
      .where('owner', '=', owner)
      .where('request_id', '=', requestId)
      .returning('id')
      .executeTakeFirst();
    if (deleted === undefined) return false;
    await writeAudit(db, { action: 'share_revoked', actor, owner, subject: requestId }, now);
    return true;
  });
}

/** Finds a valid share by the hash of its key. */
export async function findShare(db: StateDb, hash: string, now: number): Promise<ReceiptShare | undefined> {
  const row = await db
    .selectFrom('receipt_shares')
    .selectAll()
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row && toShare(row);
}

/** Reads the request of a share. Undefined for one of a deleted chat. */
export async function readShared(
  db: StateDb,
  { owner, requestId }: SharedRequest,
): Promise<RequestRecord | undefined> {
  const row = await db
    .selectFrom('chat_requests')
    .selectAll()
    .where('id', '=', requestId)
    .where('owner', '=', owner)
    .where('erased', '=', 0)
    .executeTakeFirst();
  return row && toRequest(row);
}

async function readOwn(db: StateDb, shared: SharedRequest): Promise<RequestRecord> {
  const request = await readShared(db, shared);
  if (request !== undefined) return request;
  throw new ChatStateError('There is no such request. Check its id and the token.', {
    code: 'request-not-found',
    subject: shared.requestId,
  });
}

function toShare(row: ReceiptShareRow): ReceiptShare {
  return {
    id: row.id,
    owner: row.owner,
    requestId: row.request_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
