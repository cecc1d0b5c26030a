/** Deliveries of webhooks and the secrets of owners: reads and changes of their rows. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { forUpdate, lockName } from '@truecast/store/internal/locks';
import type { Store, StoreTransaction } from '@truecast/store/internal/database/store';
import type { WebhookDeliveryRow } from '@truecast/store/internal/tables/agent-runs';
import type { StateDb } from '../../state/rows/machine-context.ts';
import { runNotFound } from '../run-transitions.ts';
import type { AnnounceDelivery } from './new-delivery.ts';
import { WEBHOOK_KEY, webhookSecret } from './sign-webhook.ts';
import { afterTry, type WebhookAnswer } from './webhook-tries.ts';

/** Time for which the secret before a rotation still signs. */
const OVERLAP_MS = 86_400_000;
/** A queue that uses the clock of the database can be early. */
const EARLY_MS = 2_000;
/** Deliveries without a job, such as after a lost one, that one sweep enqueues. */
const AT_ONCE = 100;

export interface WebhookContext {
  readonly store: Store;
  readonly now: () => number;
  /** Undefined in a process that can neither sign nor accept webhooks. */
  readonly webhookKey: string | undefined;
  readonly announce: AnnounceDelivery;
}

/** Secrets of an owner. */
export interface WebhookSecrets {
  readonly secret: string;
  /** The one before the last rotation, while it also signs. */
  readonly previous?: { readonly secret: string; readonly expiresAt: number };
}

/** Lists the deliveries of a run, the oldest first. @throws RequestRefusedError `not-found` */
export async function listDeliveries(
  db: StateDb,
  { owner, runId }: { readonly owner: string; readonly runId: string },
): Promise<readonly WebhookDeliveryRow[]> {
  const run = db.selectFrom('agent_runs').select('id').where('id', '=', runId).where('owner', '=', owner);
  if ((await run.executeTakeFirst()) === undefined) throw runNotFound();
  const rows = db.selectFrom('webhook_deliveries').selectAll().where('run_id', '=', runId);
  return rows.orderBy('created_at').orderBy('id').execute();
}

/** Reads a delivery to try now. Undefined if it is over, if its time has not come, and for an address that is gone. */
export async function dueDelivery(
  { store, now }: WebhookContext,
  id: string,
): Promise<WebhookDeliveryRow | undefined> {
  const query = store.db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id);
  const row = await query.executeTakeFirst();
  if (row?.status !== 'pending' || (row.next_at ?? 0) > now() + EARLY_MS) return undefined;
  if (!(await isGone(store.db, row))) return row;
  const update = store.db
    .updateTable('webhook_deliveries')
    .where('id', '=', id)
    .where('status', '=', 'pending');
  await update.set({ status: 'gone', next_at: null, error: GONE }).execute();
  return undefined;
}

const GONE = 'The address has answered an earlier delivery with 410.';

async function isGone(db: StateDb, { owner, url }: WebhookDeliveryRow): Promise<boolean> {
  const gone = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('owner', '=', owner)
    .where('url', '=', url);
  return (await gone.where('status', '=', 'gone').limit(1).executeTakeFirst()) !== undefined;
}

/** Stores the answer of a try, and enqueues the next one. */
export async function storeTry(
  { store, now, announce }: WebhookContext,
  { id, tries: before }: Pick<WebhookDeliveryRow, 'id' | 'tries'>,
  answer: WebhookAnswer,
): Promise<void> {
  const tries = before + 1;
  const { status, waitMs } = afterTry(answer, tries);
  const next_at = waitMs === undefined ? null : now() + waitMs;
  const known = {
    answer_status: 'status' in answer ? answer.status : null,
    error: 'error' in answer ? answer.error : null,
  };
  await store.transaction(async (tx) => {
    const update = tx.db.updateTable('webhook_deliveries').where('id', '=', id).where('tries', '=', before);
    const { numUpdatedRows } = await update
      .set({ status, tries, next_at, tried_at: now(), ...known })
      .executeTakeFirst();
    // Another process sent it too, or it was deleted.
    if (numUpdatedRows > 0n && next_at !== null) await announce(tx, id, next_at);
  });
}

/** Sends a delivery again, and enables its address. */
export function redeliver(
  { store, now, announce }: WebhookContext,
  {
    owner,
    runId,
    deliveryId,
  }: { readonly owner: string; readonly runId: string; readonly deliveryId: string },
): Promise<WebhookDeliveryRow> {
  return store.transaction(async (tx) => {
    const query = tx.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('id', '=', deliveryId)
      .where('run_id', '=', runId)
      .where('owner', '=', owner);
    const row = await forUpdate(tx, query).executeTakeFirst();
    if (row === undefined) {
      throw new RequestRefusedError('There is no such delivery. Check its id and the token.', {
        code: 'not-found',
      });
    }
    if (row.status === 'pending') {
      throw new ChatStateError('This delivery is pending. Wait for its next try.', {
        code: 'not-allowed',
        subject: deliveryId,
      });
    }
    await enable(tx, row);
    const next = { status: 'pending', tries: 0, next_at: now() };
    await tx.db.updateTable('webhook_deliveries').where('id', '=', deliveryId).set(next).execute();
    await announce(tx, deliveryId);
    return { ...row, ...next };
  });
}

async function enable({ db }: StoreTransaction, { owner, url }: WebhookDeliveryRow): Promise<void> {
  const gone = db.updateTable('webhook_deliveries').where('owner', '=', owner).where('url', '=', url);
  await gone.where('status', '=', 'gone').set({ status: 'failed' }).execute();
}

/** Lists deliveries whose job was lost. A job in the queue has sent those that are due for a minute. */
export async function overdueDeliveries({ store, now }: WebhookContext): Promise<readonly string[]> {
  const rows = await store.db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('status', '=', 'pending')
    .where('next_at', '<=', now() - 60_000)
    .orderBy('next_at')
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}

/** Reads the secrets with which an owner's webhooks are signed. */
export async function readSecrets(context: WebhookContext, owner: string): Promise<WebhookSecrets> {
  const rows = context.store.db.selectFrom('webhook_secrets').selectAll().where('owner', '=', owner);
  return secretsOf(context, owner, await rows.executeTakeFirst());
}

/** Replaces the secret of an owner. The one before signs for one more day. */
export function rotateSecret(context: WebhookContext, owner: string): Promise<WebhookSecrets> {
  return context.store.transaction(async (tx) => {
    await lockName(tx, `webhook secret of ${owner}`);
    const rows = tx.db.selectFrom('webhook_secrets').selectAll().where('owner', '=', owner);
    const { counter } = (await rows.executeTakeFirst()) ?? { counter: 0 };
    const next = { counter: counter + 1, rotated_at: context.now() };
    await tx.db
      .insertInto('webhook_secrets')
      .values({ owner, ...next })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet(next))
      .execute();
    return secretsOf(context, owner, next);
  });
}

function secretsOf(
  { webhookKey, now }: WebhookContext,
  owner: string,
  { counter, rotated_at: rotatedAt } = { counter: 0, rotated_at: 0 },
): WebhookSecrets {
  if (webhookKey === undefined) throw noKey();
  const secret = webhookSecret(webhookKey, { owner, counter });
  const expiresAt = rotatedAt + OVERLAP_MS;
  if (counter === 0 || expiresAt <= now()) return { secret };
  return {
    secret,
    previous: { secret: webhookSecret(webhookKey, { owner, counter: counter - 1 }), expiresAt },
  };
}

/** Error of a server that cannot sign webhooks. */
export function noKey(): RequestRefusedError {
  return new RequestRefusedError(
    `This server sends no webhooks. Set \`${WEBHOOK_KEY}\` in its environment, to at least 32 characters.`,
    { code: 'not-found' },
  );
}
