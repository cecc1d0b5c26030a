/** Chat tables: chats, their leases, messages, queue and requests, and the calls of their tools. */
import { sql, type CreateTableBuilder } from 'kysely';
import type { ColumnTypes, TableSchema } from './table-schema.ts';

const STATUSES = "'waiting', 'running', 'interrupting', 'requires_action', 'error'";
const REQUEST_STATUSES = "'queued', 'running', 'succeeded', 'failed', 'canceled'";

/** Filters of lists, and the chat, whose title is searched. */
const FILTERS = ['id', 'status', 'erased', 'model', 'name', 'schema_hash', 'chat_id'] as const;

export async function createChatTables(schema: TableSchema): Promise<void> {
  await createChats(schema);
  await createLeases(schema);
  await createMessages(schema);
  await createQueue(schema);
  await createRequests(schema);
  await indexRequests(schema);
  await createExecutions(schema);
}

async function createChats(schema: TableSchema): Promise<void> {
  const { createTable, types } = schema;
  await createTable('chats')
    .addColumn('id', types.text, (column) => column.primaryKey())
    .addColumn('owner', types.text, (column) => column.notNull())
    .addColumn('client_id', types.text)
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('version', types.integer, (column) => column.notNull())
    .addColumn('turn_version', types.integer, (column) => column.notNull())
    .addColumn('history_version', types.integer, (column) => column.notNull())
    .addColumn('queue_version', types.integer, (column) => column.notNull())
    .addColumn('attempt', types.integer, (column) => column.notNull())
    .addColumn('queue_length', types.integer, (column) => column.notNull())
    .addColumn('next_message_id', types.integer, (column) => column.notNull())
    .addColumn('next_queued_id', types.integer, (column) => column.notNull())
    .addColumn('plan_mode', types.integer, (column) => column.notNull())
    .addColumn('parent_id', types.text)
    .addColumn('title', types.text, (column) => column.notNull())
    .addColumn('model', types.text, (column) => column.notNull())
    .addColumn('system_prompt', types.text)
    .addColumn('tools', types.text, (column) => column.notNull())
    .addColumn('settings', types.text, (column) => column.notNull())
    .addColumn('labels', types.text)
    .addColumn('request_id', types.text)
    .addColumn('error', types.text)
    .addColumn('retry', types.text)
    .addColumn('retry_at', types.integer)
    .addColumn('compaction_requested', types.integer, (column) => column.notNull())
    .addColumn('action_deadline', types.integer)
    .addColumn('runner', types.text)
    .addColumn('traceparent', types.text)
    .addColumn('tracestate', types.text)
    .addColumn('deleted', types.integer, (column) => column.notNull())
    .addColumn('created_at', types.integer, (column) => column.notNull())
    .addColumn('updated_at', types.integer, (column) => column.notNull())
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

async function createLeases({ dialect, createTable, types }: TableSchema): Promise<void> {
  const table = createTable('chat_leases')
    .addColumn('chat_id', types.text, (column) => column.primaryKey().references('chats.id'))
    .addColumn('runner', types.text, (column) => column.notNull())
    .addColumn('worker', types.text, (column) => column.notNull())
    .addColumn('heartbeat_at', types.integer, (column) => column.notNull());
  // Each worker writes here every few seconds. Rows that a server crash removes count as expired
  // leases.
  await (dialect === 'postgres' ? table.modifyFront(sql`unlogged`) : table).execute();
}

async function createMessages({ db, createTable, types }: TableSchema): Promise<void> {
  await withMessageColumns(createTable('chat_messages'), types)
    .addColumn('role', types.text, (column) => column.notNull())
    .addColumn('visibility', types.text, (column) => column.notNull())
    .addColumn('compressed', types.integer, (column) => column.notNull())
    .addColumn('deleted', types.integer, (column) => column.notNull())
    .addColumn('revision', types.integer, (column) => column.notNull())
    .addColumn('step', types.text)
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

async function createQueue({ createTable, types }: TableSchema): Promise<void> {
  await withMessageColumns(createTable('chat_queue'), types)
    .addColumn('position', types.integer, (column) => column.notNull())
    .addColumn('traceparent', types.text)
    .addColumn('tracestate', types.text)
    .addPrimaryKeyConstraint('chat_queue_key', ['chat_id', 'id'])
    .addUniqueConstraint('chat_queue_order', ['chat_id', 'position'])
    .execute();
}

/** Adds the columns of a message, also while it is queued. */
function withMessageColumns(
  table: CreateTableBuilder<string>,
  types: ColumnTypes,
): CreateTableBuilder<string, 'chat_id' | 'id'> {
  return table
    .addColumn('chat_id', types.text, (column) => column.notNull().references('chats.id'))
    .addColumn('id', types.integer, (column) => column.notNull())
    .addColumn('client_id', types.text)
    .addColumn('parts', types.text, (column) => column.notNull())
    .addColumn('parts_version', types.integer, (column) => column.notNull())
    .addColumn('request_id', types.text)
    .addColumn('plan_mode', types.integer)
    .addColumn('created_at', types.integer, (column) => column.notNull());
}

async function createRequests({ createTable, types }: TableSchema): Promise<void> {
  await createTable('chat_requests')
    .addColumn('id', types.text, (column) => column.primaryKey())
    .addColumn('chat_id', types.text, (column) => column.notNull().references('chats.id'))
    .addColumn('owner', types.text, (column) => column.notNull())
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('message_id', types.integer)
    .addColumn('queued_id', types.integer)
    .addColumn('name', types.text)
    .addColumn('schema_text', types.text, (column) => column.notNull())
    .addColumn('schema_hash', types.text, (column) => column.notNull())
    .addColumn('limits', types.text, (column) => column.notNull())
    .addColumn('revision', types.integer, (column) => column.notNull())
    .addColumn('receipt_version', types.integer, (column) => column.notNull())
    .addColumn('value_text', types.text)
    .addColumn('value_hash', types.text)
    .addColumn('numbers_exact', types.integer)
    .addColumn('error', types.text)
    .addColumn('mode', types.text)
    .addColumn('attempts', types.text, (column) => column.notNull())
    .addColumn('model', types.text)
    .addColumn('dialect', types.text)
    .addColumn('usage', types.text)
    .addColumn('created_at', types.integer, (column) => column.notNull())
    .addColumn('started_at', types.integer)
    .addColumn('ended_at', types.integer)
    .addColumn('deadline_at', types.integer)
    .addColumn('erased', types.integer, (column) => column.notNull())
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
  const index = (name: string, columns: readonly string[]): Promise<void> =>
    db.schema
      .createIndex(name)
      .on('chat_requests')
      .columns([...columns])
      .execute();
  await index('chat_requests_by_time', ['owner', 'created_at', ...FILTERS]);
  // Also covers the query that counts the requests of each schema.
  await index('chat_requests_of_schema', [
    'owner',
    'schema_hash',
    'created_at',
    ...FILTERS.filter((name) => name !== 'schema_hash'),
  ]);
  await index('chat_requests_by_revision', ['chat_id', 'revision', 'id']);
  // Requests that no sum of the quality report contains yet.
  await index('chat_requests_by_end', ['owner', 'ended_at', 'id', 'status', 'erased']);
  await sql`create unique index chat_requests_running on chat_requests (chat_id) where status = 'running'`.execute(
    db,
  );
  await sql`create index chat_requests_by_deadline on chat_requests (deadline_at) where deadline_at is not null and status in ('queued', 'running')`.execute(
    db,
  );
}

async function createExecutions({ db, createTable, types }: TableSchema): Promise<void> {
  await createTable('tool_executions')
    .addColumn('chat_id', types.text, (column) => column.notNull())
    .addColumn('message_id', types.integer, (column) => column.notNull())
    .addColumn('tool_call_id', types.text, (column) => column.notNull())
    .addColumn('position', types.integer, (column) => column.notNull())
    .addColumn('tool_name', types.text, (column) => column.notNull())
    .addColumn('run_by', types.text, (column) => column.notNull())
    .addColumn('input_hash', types.text, (column) => column.notNull())
    .addColumn('idempotent', types.integer, (column) => column.notNull())
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('answered', types.integer, (column) => column.notNull())
    .addColumn('runner', types.text)
    .addColumn('created_at', types.integer, (column) => column.notNull())
    .addColumn('started_at', types.integer)
    .addColumn('ended_at', types.integer)
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
