/** Chat tables: chats, their leases, messages, queue and requests, and the calls of their tools. */
import { sql } from 'kysely';
import {
  CHAT_LEASES,
  CHAT_MESSAGES,
  CHAT_QUEUE,
  CHAT_REQUESTS,
  CHATS,
  RECEIPT_SHARES,
  TOOL_EXECUTIONS,
} from '../tables/chats.ts';
import { KEY, UNIQUE, type ColumnChanges, type TableSchema } from './table-schema.ts';

const OF_CHAT: ColumnChanges = { chat_id: (column) => column.notNull().references('chats.id') };

const STATUSES = "'waiting', 'running', 'interrupting', 'requires_action', 'error'";
const REQUEST_STATUSES = "'queued', 'running', 'succeeded', 'failed', 'canceled'";

/** Filters of lists, and the chat, whose title is searched. */
const FILTERS = [
  'id',
  'status',
  'erased',
  'model',
  'name',
  'schema_hash',
  'chat_id',
  'cost_micro_usd',
] as const;

export async function createChatTables(schema: TableSchema): Promise<void> {
  await createChats(schema);
  await createLeases(schema);
  await createMessages(schema);
  await createQueue(schema);
  await createRequests(schema);
  await indexRequests(schema);
  await createExecutions(schema);
  await createShares(schema);
}

async function createChats(schema: TableSchema): Promise<void> {
  const { createTable } = schema;
  await createTable('chats', CHATS, { id: KEY })
    .addCheckConstraint('chats_status', sql`status in (${sql.raw(STATUSES)})`)
    .addCheckConstraint(
      'chats_request',
      sql`request_id is null or status in ('running', 'interrupting', 'requires_action')`,
    )
    // Constraints reject impossible rows, so that no code has to repair them.
    .addCheckConstraint('chats_queue', sql`queue_length >= 0 and (status <> 'waiting' or queue_length = 0)`)
    // Deadlines for every wait for a person or client: of a chat that waits for results, and of a
    // queue held by an error.
    .addCheckConstraint(
      'chats_deadline',
      sql`(status = 'requires_action' or (status = 'error' and queue_length > 0)) = (action_deadline is not null)`,
    )
    .addCheckConstraint('chats_runner', sql`runner is null or status in ('running', 'interrupting')`)
    // A chat that waits for its next model call has no worker, so that a worker never holds a slot for it.
    .addCheckConstraint('chats_retry_at', sql`retry_at is null or (status = 'running' and runner is null)`)
    .execute();
  await indexChats(schema);
}

async function indexChats({ db }: TableSchema): Promise<void> {
  await db.schema.createIndex('chats_by_owner').on('chats').columns(['owner', 'created_at', 'id']).execute();
  await db.schema.createIndex('chats_by_change').on('chats').columns(['owner', 'updated_at', 'id']).execute();
  for (const column of ['last_attempts', 'last_duration_ms', 'last_cost_micro_usd']) {
    await db.schema
      .createIndex(`chats_by_${column}`)
      .on('chats')
      .columns(['owner', column, 'id'])
      .where(sql<boolean>`${sql.ref(column)} is not null`)
      .execute();
  }
  await db.schema.createIndex('chats_by_parent').on('chats').columns(['parent_id', 'id']).execute();
  await db.schema.createIndex('chats_by_status').on('chats').columns(['status', 'action_deadline']).execute();
  await db.schema
    .createIndex('chats_by_client_id')
    .unique()
    .on('chats')
    .columns(['owner', 'client_id'])
    .where(sql<boolean>`client_id is not null`)
    .execute();
}

async function createLeases({ dialect, createTable }: TableSchema): Promise<void> {
  const table = createTable('chat_leases', CHAT_LEASES, {
    chat_id: (column) => column.primaryKey().references('chats.id'),
  });
  // Each worker writes here every few seconds. Rows that a server crash removes count as expired
  // leases.
  await (dialect === 'postgres' ? table.modifyFront(sql`unlogged`) : table).execute();
}

async function createMessages({ db, createTable }: TableSchema): Promise<void> {
  await createTable('chat_messages', CHAT_MESSAGES, OF_CHAT)
    .addPrimaryKeyConstraint('chat_messages_key', ['chat_id', 'id'])
    .execute();
  // An edit gives all messages after it one revision. Without their id in the index, each page of a stream
  // sorts all of them.
  await db.schema
    .createIndex('chat_messages_by_revision')
    .on('chat_messages')
    .columns(['chat_id', 'revision', 'id', 'visibility', 'deleted'])
    .execute();
  // The id of a message that an edit removed can be used again.
  await db.schema
    .createIndex('chat_messages_by_client_id')
    .unique()
    .on('chat_messages')
    .columns(['chat_id', 'client_id'])
    .where(sql<boolean>`client_id is not null and deleted = 0`)
    .execute();
}

async function createQueue({ createTable }: TableSchema): Promise<void> {
  await createTable('chat_queue', CHAT_QUEUE, OF_CHAT)
    .addPrimaryKeyConstraint('chat_queue_key', ['chat_id', 'id'])
    .addUniqueConstraint('chat_queue_order', ['chat_id', 'position'])
    .execute();
}

async function createRequests({ createTable }: TableSchema): Promise<void> {
  await createTable('chat_requests', CHAT_REQUESTS, { id: KEY, ...OF_CHAT })
    .addCheckConstraint('chat_requests_status', sql`status in (${sql.raw(REQUEST_STATUSES)})`)
    // A success has a value, any other ending has an error, and an open request has neither.
    .addCheckConstraint(
      'chat_requests_ending',
      sql`(value_text is not null) = (status = 'succeeded') and (error is not null) = (status in ('failed', 'canceled')) and (ended_at is not null) = (status in ('succeeded', 'failed', 'canceled'))`,
    )
    .execute();
}

/**
 * SQLite keeps the columns of a row in order, and values and schemas are before the filtered ones. Without
 * these indexes, a filter that few requests pass reads every value.
 */
async function indexRequests({ db }: TableSchema): Promise<void> {
  const newIndex = (name: string, columns: readonly string[]) =>
    db.schema
      .createIndex(name)
      .on('chat_requests')
      .columns([...columns]);
  const index = (name: string, columns: readonly string[]): Promise<void> =>
    newIndex(name, columns).execute();
  await index('chat_requests_by_time', ['owner', 'created_at', ...FILTERS]);
  // Also covers the query that counts the requests of each schema.
  await index('chat_requests_of_schema', [
    'owner',
    'schema_hash',
    'created_at',
    ...FILTERS.filter((name) => name !== 'schema_hash'),
  ]);
  await index('chat_requests_by_revision', ['chat_id', 'revision', 'id']);
  // An open request has no number, so it is in none of these.
  for (const column of ['attempt_count', 'duration_ms', 'cost_micro_usd']) {
    await newIndex(`chat_requests_by_${column}`, [
      'owner',
      column,
      ...FILTERS.filter((name) => name !== column),
    ])
      .where(sql<boolean>`${sql.ref(column)} is not null`)
      .execute();
  }
  // Requests that no sum of the quality report contains yet.
  await index('chat_requests_by_end', ['owner', 'ended_at', 'id', 'status', 'erased']);
  await sql`create unique index chat_requests_running on chat_requests (chat_id) where status = 'running'`.execute(
    db,
  );
  await sql`create index chat_requests_by_deadline on chat_requests (deadline_at) where deadline_at is not null and status in ('queued', 'running')`.execute(
    db,
  );
}

async function createExecutions({ db, createTable }: TableSchema): Promise<void> {
  await createTable('tool_executions', TOOL_EXECUTIONS)
    // Providers repeat call ids across steps, so the message is part of a call's key.
    .addPrimaryKeyConstraint('tool_executions_key', ['chat_id', 'message_id', 'tool_call_id'])
    .addForeignKeyConstraint('tool_executions_message', ['chat_id', 'message_id'], 'chat_messages', [
      'chat_id',
      'id',
    ])
    .addCheckConstraint(
      'tool_executions_status',
      sql`status in ('reserved', 'running', 'done', 'unknown', 'no_effect')`,
    )
    .execute();
  await db.schema
    .createIndex('tool_executions_by_status')
    .on('tool_executions')
    .columns(['chat_id', 'answered', 'status'])
    .execute();
}

async function createShares({ db, createTable }: TableSchema): Promise<void> {
  await createTable('receipt_shares', RECEIPT_SHARES, { id: KEY, hash: UNIQUE, ...OF_CHAT }).execute();
  await db.schema
    .createIndex('receipt_shares_by_request')
    .on('receipt_shares')
    .columns(['request_id', 'created_at'])
    .execute();
  await db.schema.createIndex('receipt_shares_by_chat').on('receipt_shares').columns(['chat_id']).execute();
}
