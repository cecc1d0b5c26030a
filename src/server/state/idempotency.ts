/** Owns the answers that are given again: stored in the transaction of the change that they tell of. */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import type { MachineContext, StateDb } from './machine-context.ts';

/** A client's wish that a repeated request change nothing. */
export interface Idempotency<T> {
  /** The route, so that one key of a client's may serve several. */
  readonly route: string;
  readonly key: string;
  /** Fingerprint of the body, by which a key used for something else is noticed. */
  readonly bodyHash: string;
  /** Makes the answer to store from what the change gives. */
  readonly respond: (result: T) => StoredResponse;
}

/** An answer as it was given. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

/** Stores the answer; rolls the change back when another request with this key was faster. */
export async function storeResponse<T>(
  db: StateDb,
  owner: string,
  { route, key, bodyHash, respond }: Idempotency<T>,
  result: T,
  now: number,
): Promise<void> {
  const row = { owner, route, key, body_hash: bodyHash, ...respond(result), created_at: now };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['owner', 'route', 'key']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 0n) return;
  throw new ChatStateError('Another request with this key was faster. Read its stored answer.', {
    code: 'idempotency-taken',
    subject: key,
  });
}

/**
 * Reads the answer that a key was given.
 *
 * @throws ChatStateError `idempotency-mismatch` when the key came with another body
 */
export async function readStoredResponse(
  db: StateDb,
  { owner, route, key, bodyHash }: StoredResponseKey,
): Promise<StoredResponse | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['status', 'body', 'body_hash'])
    .where('owner', '=', owner)
    .where('route', '=', route)
    .where('key', '=', key)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.body_hash === bodyHash) return { status: row.status, body: row.body };
  throw new ChatStateError(
    'This Idempotency-Key was used with another body. Use a new key for a new request.',
    {
      code: 'idempotency-mismatch',
      subject: key,
    },
  );
}

/** Whose key it is, and what it came with. */
export interface StoredResponseKey {
  readonly owner: string;
  readonly route: string;
  readonly key: string;
  readonly bodyHash: string;
}

/** Nobody repeats a request a day later; what its answer tells of a chat must not stay for ever. */
const KEPT_MS = 24 * 60 * 60_000;
const FORGET_EVERY_MS = 60 * 60_000;

/** Makes what forgets the answers that are older than a day; however often it is called, it looks once an hour. */
export function oldAnswersForgetter({ store, now }: MachineContext): () => Promise<void> {
  let dueAt = 0;
  return async () => {
    const atMs = now();
    if (atMs < dueAt) return;
    // First, so that a statement that fails is not made with every sweep.
    dueAt = atMs + FORGET_EVERY_MS;
    await store.db
      .deleteFrom('idempotency_keys')
      .where('created_at', '<', atMs - KEPT_MS)
      .execute();
  };
}
