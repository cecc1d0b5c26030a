/** Idempotency keys: responses stored in the transaction of their change, and replayed. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { MachineContext, StateDb } from './machine-context.ts';
import { chatNotFound } from './transition-table.ts';

/** A client's idempotency key and its scope. */
export interface Idempotency<T> {
  /** The route, so that one key can serve several routes. */
  readonly route: string;
  readonly key: string;
  /** Fingerprint of the body. It detects reuse of a key for another request. */
  readonly bodyHash: string;
  /** Builds the stored response from the change's result. */
  readonly respond: (result: T) => StoredResponse;
}

export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

/** The chat whose deletion removes the response, if it is about one. */
interface StoredResponseSubject {
  readonly id: string | null;
  readonly owner: string;
}

/**
 * Stores the response. Rolls the change back if a concurrent request with this key committed first.
 */
export async function storeResponse<T>(
  db: StateDb,
  { id, owner }: StoredResponseSubject,
  { route, key, bodyHash, respond }: Idempotency<T>,
  result: T,
  now: number,
): Promise<void> {
  const stored = { body_hash: bodyHash, ...respond(result), created_at: now, chat_id: id };
  const row = { owner, route, key, ...stored };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['owner', 'route', 'key']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 0n) return;
  throw new ChatStateError('Another request with this key was committed first. Read its stored answer.', {
    code: 'idempotency-taken',
    subject: key,
  });
}

/**
 * Reads the response stored for a key.
 *
 * @throws ChatStateError `idempotency-mismatch` if the key was used with another body,
 *   `chat-not-found` if its chat was deleted
 */
export async function readStoredResponse(
  db: StateDb,
  { owner, route, key, bodyHash }: StoredResponseKey,
): Promise<StoredResponse | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['status', 'body', 'body_hash', 'chat_id'])
    .where('owner', '=', owner)
    .where('route', '=', route)
    .where('key', '=', key)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  // A repetition must not create the chat again.
  if (row.body === '') throw chatNotFound(row.chat_id ?? '');
  if (row.body_hash === bodyHash) return { status: row.status, body: row.body };
  throw new ChatStateError(
    'This Idempotency-Key was used with another body. Use a new key for a new request.',
    {
      code: 'idempotency-mismatch',
      subject: key,
    },
  );
}

/** Owner, key and fingerprint. */
export interface StoredResponseKey {
  readonly owner: string;
  readonly route: string;
  readonly key: string;
  readonly bodyHash: string;
}

/**
 * Retention time: no client retries a day later, and a response must not keep chat data forever.
 */
const KEPT_MS = 24 * 60 * 60_000;

/** Deletes responses that are older than a day. */
export async function forgetOldAnswers({ store, now }: MachineContext): Promise<void> {
  await store.db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<', now() - KEPT_MS)
    .execute();
}
