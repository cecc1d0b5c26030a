/**
 * Retention by age: deletes unused chats, ended agent runs, their events and artifacts, remaining rows of deleted
 * chats, and old rows of the audit log, each after its configured time.
 */
import { truncateWal } from '@truecast/store/internal/sqlite/truncate-wal';
import { eraseChat, eraseChildren } from './children.ts';
import { writeAudit } from './rows/audit-log.ts';
import { isDone, refusal, updateChat } from './rows/chat-update.ts';
import { clearOldRuns, deleteRuns } from './rows/erased-rows.ts';
import { forgetOldAnswers } from './rows/idempotency.ts';
import type { MachineContext } from './rows/machine-context.ts';
import { forgetSignInCodes } from './shares/sign-in-codes.ts';

const CLEAN_EVERY_MS = 60 * 60_000;
/** Maximum number of chats, and of runs, per sweep. The next sweep handles the others. */
const CHATS_AT_ONCE = 100;

/**
 * Creates the cleanup of expired data. It runs at most once an hour, however often it is called.
 * While old chats remain, it runs again at once.
 */
export function expiredDataCleaner(context: MachineContext): () => Promise<void> {
  let dueAt = 0;
  return async () => {
    const nowMs = context.now();
    if (nowMs < dueAt) return;
    // Set first, so that a failing statement does not run with every sweep.
    dueAt = nowMs + CLEAN_EVERY_MS;
    await forgetOldAnswers(context);
    await forgetOldAudits(context);
    await forgetSignInCodes(context.store.db, nowMs);
    const found = [
      await eraseOldChats(context),
      await deleteOldRuns(context),
      await clearEndedRuns(context),
      await forgetSkeletons(context),
    ];
    if (found.includes(CHATS_AT_ONCE)) dueAt = nowMs;
    else await truncateWal(context.store);
  };
}

/** Deletes the longest unused chats. Returns how many it found. */
async function eraseOldChats(context: MachineContext): Promise<number> {
  const { store, now, retentionMs } = context;
  if (retentionMs === undefined) return 0;
  const cutoff = now() - retentionMs;
  const rows = await store.db
    .selectFrom('chats')
    .select('id')
    .where('deleted', '=', 0)
    .where('parent_id', 'is', null)
    .where('status', 'in', ['waiting', 'error'])
    .where('updated_at', '<', cutoff)
    .orderBy('updated_at')
    .limit(CHATS_AT_ONCE)
    .execute();
  let chats = 0;
  for (const { id } of rows) if (await eraseOld(context, id, cutoff)) chats += 1;
  if (chats > 0) {
    const run = { action: 'retention_run', actor: 'retention', detail: { chats } } as const;
    await writeAudit(store.db, run, now());
  }
  return rows.length;
}

/** Deletes the agent runs that ended first. Returns how many it found. */
async function deleteOldRuns({ store, now, retentionMs }: MachineContext): Promise<number> {
  if (retentionMs === undefined) return 0;
  const rows = await store.db
    .selectFrom('agent_runs')
    .select('id')
    .where('ended_at', '<', now() - retentionMs)
    .orderBy('ended_at')
    .limit(CHATS_AT_ONCE)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await store.transaction(async (tx) => {
    await deleteRuns(tx, ids);
    const run = { action: 'retention_run', actor: 'retention', detail: { runs: ids.length } } as const;
    await writeAudit(tx.db, run, now());
  });
  return ids.length;
}

/** Removes the events and the artifacts of the agent runs that ended first. Returns how many it found. */
async function clearEndedRuns({ store, now, keepRunsMs }: MachineContext): Promise<number> {
  if (keepRunsMs === undefined) return 0;
  const rows = await store.db
    .selectFrom('agent_runs')
    .select('id')
    .where('ended_at', '<', now() - keepRunsMs)
    .where('cleared_at', 'is', null)
    .orderBy('ended_at')
    .limit(CHATS_AT_ONCE)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await store.transaction(async (tx) => {
    const cleared = await clearOldRuns(tx, { ids, now: now() });
    const run = { action: 'retention_run', actor: 'retention', detail: { cleared } } as const;
    await writeAudit(tx.db, run, now());
  });
  return ids.length;
}

/** Deletes the rows of chats that were deleted before. Returns how many it found. */
async function forgetSkeletons({ store, now, skeletonRetentionMs }: MachineContext): Promise<number> {
  if (skeletonRetentionMs === undefined) return 0;
  const rows = await store.db
    .selectFrom('chats')
    .select('id')
    .where('deleted', '=', 1)
    .where('updated_at', '<', now() - skeletonRetentionMs)
    .orderBy('updated_at')
    .limit(CHATS_AT_ONCE)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await store.transaction(async ({ db }) => {
    await db.deleteFrom('chat_requests').where('chat_id', 'in', ids).execute();
    await db.deleteFrom('chats').where('id', 'in', ids).execute();
    const run = { action: 'retention_run', actor: 'retention', detail: { skeletons: ids.length } } as const;
    await writeAudit(db, run, now());
  });
  return ids.length;
}

async function forgetOldAudits({ store, now, auditRetentionMs }: MachineContext): Promise<void> {
  if (auditRetentionMs === undefined) return;
  await store.db
    .deleteFrom('audit_log')
    .where('at', '<', now() - auditRetentionMs)
    .execute();
}

/** Returns false if the chat was used or deleted after it was found. */
function eraseOld(context: MachineContext, chatId: string, cutoff: number): Promise<boolean> {
  const erased = updateChat(context, chatId, 'deleteChat', {}, async (update) => {
    const { chat, db, now } = update;
    if (chat.updated_at >= cutoff) {
      throw refusal(update, 'not-allowed', 'The chat was used again. It is kept.');
    }
    await eraseChildren(update);
    await eraseChat(update);
    const { owner } = chat;
    await writeAudit(db, { action: 'chat_deleted', actor: 'retention', owner, subject: chatId }, now);
  });
  return isDone(erased);
}
