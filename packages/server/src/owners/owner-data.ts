/** Data of one owner: export as JSON, and erasure. Both are audited. */
import { parseJsonObject } from '@truecast/core/internal/json/parse-json';
import { toTime } from '../contract/to-time.ts';
import type { Store } from '@truecast/store/internal/database/store';
import type { AgentBatchRow } from '@truecast/store/internal/tables/agent-runs';
import type { StoredChat } from '@truecast/store/internal/tables/chats';
import { toChatView, toMessageView, toQueuedView, toTokenView } from '../http/views.ts';
import { toAgentRunDetail, toBatchView, toDeliveryView } from '../http/agent-run-views.ts';
import { batchesOfOwner, eraseRuns, runsOfOwner } from '../runs/state/owner-runs.ts';
import { createChatMachine } from '../state/chat-machine.ts';
import { writeAudit } from '../state/rows/audit-log.ts';
import { toChat, toQueued, toRequest, toShownMessage } from '../state/rows/chat-records.ts';
import type { StateDb } from '../state/rows/machine-context.ts';
import { listTokens, revokeToken } from '../tokens/token-rows.ts';

const CHATS_AT_ONCE = 50;

/** An owner, and the caller for the audit log. */
export interface OwnerOperation {
  readonly owner: string;
  readonly actor: string;
}

/**
 * Exports every row of an owner as the pieces of one JSON text: tokens, chats with messages, queue and
 * requests, share links, and agent runs with their batches and webhooks. Messages that an edit removed are included. One chat is in memory at a time.
 *
 * @yields a piece of the text
 */
export async function* exportOwner(
  store: Store,
  { owner, actor }: OwnerOperation,
): AsyncGenerator<string, void> {
  const now = Date.now();
  const tokens = (await listTokens(store.db)).filter((token) => token.owner === owner);
  const head = JSON.stringify({ owner, exported_at: toTime(now), tokens: tokens.map(toTokenView) });
  const links = JSON.stringify(await shareLinksOf(store.db, owner));
  yield `${head.slice(0, -1)},"share_links":${links},"chats":[`;
  let chats = 0;
  for await (const chat of chatsOf(store.db, owner)) {
    const text = JSON.stringify(await store.view(async (view) => await exportChat(view, chat)));
    yield chats === 0 ? `\n${text}` : `,\n${text}`;
    chats += 1;
  }
  yield '],"runs":[';
  let runs = 0;
  for await (const { deliveries, ...stored } of runsOfOwner(store.db, owner)) {
    const detail = toAgentRunDetail(stored);
    const text = JSON.stringify({ ...detail, deliveries: deliveries.map(toDeliveryView) });
    yield runs === 0 ? `\n${text}` : `,\n${text}`;
    runs += 1;
  }
  const batches = await batchesOfOwner(store.db, owner);
  yield `],"batches":${JSON.stringify(batches.map(exportBatch))}}\n`;
  await writeAudit(store.db, { action: 'owner_exported', actor, owner, detail: { chats, runs } }, now);
}

/** Returns true if the database has a token, a chat, a request, a run or a batch of the owner, erased ones included. */
export async function isKnownOwner({ db }: Store, owner: string): Promise<boolean> {
  for (const table of ['access_tokens', 'chats', 'chat_requests', 'agent_runs', 'agent_batches'] as const) {
    const row = await db
      .selectFrom(table)
      .select('owner')
      .where('owner', '=', owner)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}

/** Revokes an owner's tokens, and deletes all chats and runs. Returns how many of each. */
export async function eraseOwner(
  store: Store,
  { owner, actor }: OwnerOperation,
): Promise<{ readonly tokens: number; readonly chats: number; readonly runs: number }> {
  const machine = createChatMachine({ store });
  let tokens = 0;
  // Tokens are revoked first, so that no further chat is created.
  for (const token of await listTokens(store.db)) {
    if (token.owner === owner && (await revokeToken(store, token.id, Date.now(), actor))) tokens += 1;
  }
  let chats = 0;
  for (;;) {
    const page = await machine.listChats({ owner, limit: CHATS_AT_ONCE });
    // Deleting a chat deletes its children.
    const roots = page.chats.filter(({ parentId }) => parentId === undefined);
    const next = roots.length > 0 ? roots : page.chats;
    if (next.length === 0) break;
    for (const { id } of next) await machine.deleteChat({ owner, chatId: id, actor });
    chats += next.length;
  }
  const runs = await eraseRuns(store, owner);
  const detail = { tokens, chats, runs };
  await writeAudit(store.db, { action: 'owner_erased', actor, owner, detail }, Date.now());
  return detail;
}

/** @yields the oldest first, deleted ones included */
async function* chatsOf(db: StateDb, owner: string): AsyncGenerator<StoredChat, void> {
  let last = { created_at: -1, id: '' };
  for (;;) {
    const { created_at, id } = last;
    const rows = await db
      .selectFrom('chats')
      .selectAll()
      .where('owner', '=', owner)
      .where(({ eb, or, and }) =>
        or([eb('created_at', '>', created_at), and([eb('created_at', '=', created_at), eb('id', '>', id)])]),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(CHATS_AT_ONCE)
      .execute();
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end;
  }
}

/** Returns the links without their keys, whose hashes alone are stored. */
async function shareLinksOf(
  db: StateDb,
  owner: string,
): Promise<readonly Readonly<Record<'id' | 'request_id' | 'created_at' | 'expires_at', string>>[]> {
  const columns = ['id', 'request_id', 'created_at', 'expires_at'] as const;
  const query = db.selectFrom('receipt_shares').select(columns).where('owner', '=', owner);
  const rows = await query.orderBy('created_at').orderBy('id').execute();
  return rows.map(({ id, request_id, created_at, expires_at }) => ({
    id,
    request_id,
    created_at: toTime(created_at),
    expires_at: toTime(expires_at),
  }));
}

function exportBatch(row: AgentBatchRow): Readonly<Record<string, unknown>> {
  return { ...toBatchView(row), request: parseJsonObject(row.input) };
}

async function exportChat(db: StateDb, chat: StoredChat): Promise<Readonly<Record<string, unknown>>> {
  const messages = await db
    .selectFrom('chat_messages')
    .selectAll()
    .where('chat_id', '=', chat.id)
    .orderBy('id')
    .execute();
  const queue = await db
    .selectFrom('chat_queue')
    .selectAll()
    .where('chat_id', '=', chat.id)
    .orderBy('position')
    .execute();
  const requests = await db
    .selectFrom('chat_requests')
    .selectAll()
    .where('chat_id', '=', chat.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return {
    ...toChatView(toChat(chat)),
    is_deleted: chat.deleted === 1,
    messages: messages.map((row) => ({
      ...toMessageView(toShownMessage(row)),
      visibility: row.visibility,
      is_deleted: row.deleted === 1,
    })),
    queued_messages: queue.map((row) => toQueuedView(toQueued(row))),
    requests: requests.map(exportRequest),
  };
}

function exportRequest(row: Parameters<typeof toRequest>[0]): Readonly<Record<string, unknown>> {
  const isErasedValue = row.erased === 1 && row.value_text !== null;
  const { receipt, schemaText, createdAt } = toRequest(isErasedValue ? { ...row, value_text: null } : row);
  return {
    ...receipt,
    schema_text: schemaText,
    is_erased: row.erased === 1,
    created_at: toTime(createdAt),
    ...(row.ended_at !== null && { ended_at: toTime(row.ended_at) }),
  };
}
