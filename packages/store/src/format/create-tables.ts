/** Tables of the current format, in an empty database. */
import { createChatTables } from './create-chats.ts';
import { makeSchema, type TableSchema } from './table-schema.ts';

/** Creates every table. */
export async function createTables(schema: TableSchema): Promise<void> {
  await createEvents(schema);
  await createChatTables(schema);
  await createJobs(schema);
  await createAccounts(schema);
  await createAudit(schema);
  await createQuality(schema);
}

async function createEvents({ db, createTable, types }: TableSchema): Promise<void> {
  await createTable('events')
    .addColumn('offset', types.serialKey)
    .addColumn('id', types.text, (column) => column.notNull().unique())
    .addColumn('run_id', types.text, (column) => column.notNull())
    .addColumn('turn', types.integer, (column) => column.notNull())
    .addColumn('kind', types.text, (column) => column.notNull())
    .addColumn('actor', types.text, (column) => column.notNull())
    .addColumn('payload', types.text, (column) => column.notNull())
    .addColumn('created_at', types.text, (column) => column.notNull())
    .addColumn('schema_version', types.integer, (column) => column.notNull())
    .addColumn('caused_by', types.text)
    .addColumn('model', types.text)
    .addColumn('provenance', types.text)
    .execute();
  await db.schema.createIndex('events_run').on('events').columns(['run_id', 'offset']).execute();
  await db.schema.createIndex('events_kind').on('events').columns(['kind', 'offset']).execute();
  await db.schema.createIndex('events_actor').on('events').columns(['actor', 'offset']).execute();
}

/**
 * Creates `jobs` on SQLite, or the schema for pg-boss's tables on Postgres, because two processes that
 * create the schema at once would collide.
 */
async function createJobs({ dialect, db, createTable, types }: TableSchema): Promise<void> {
  if (dialect === 'postgres') {
    await makeSchema(db, 'truecast_queue');
    return;
  }
  await createTable('jobs')
    .addColumn('id', types.serialKey)
    .addColumn('queue', types.text, (column) => column.notNull())
    .addColumn('key', types.text, (column) => column.notNull())
    .addColumn('payload', types.text, (column) => column.notNull())
    .addColumn('start_after_ms', types.integer, (column) => column.notNull())
    .addColumn('attempt', types.integer, (column) => column.notNull())
    .addColumn('held_until_ms', types.integer, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('jobs_key').on('jobs').columns(['queue', 'key', 'id']).execute();
}

/** Creates the tables of tokens, of kept responses and of usage, and the row of the readiness check. */
async function createAccounts({ db, createTable, types }: TableSchema): Promise<void> {
  await createTable('access_tokens')
    .addColumn('id', types.text, (column) => column.primaryKey())
    .addColumn('owner', types.text, (column) => column.notNull())
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('hash', types.text, (column) => column.notNull().unique())
    .addColumn('scopes', types.text, (column) => column.notNull())
    .addColumn('created_at', types.integer, (column) => column.notNull())
    .addColumn('expires_at', types.integer)
    .addColumn('revoked_at', types.integer)
    .execute();
  await createTable('idempotency_keys')
    .addColumn('owner', types.text, (column) => column.notNull())
    .addColumn('route', types.text, (column) => column.notNull())
    .addColumn('key', types.text, (column) => column.notNull())
    .addColumn('body_hash', types.text, (column) => column.notNull())
    .addColumn('status', types.integer, (column) => column.notNull())
    .addColumn('body', types.text, (column) => column.notNull())
    .addColumn('created_at', types.integer, (column) => column.notNull())
    .addColumn('chat_id', types.text)
    .addPrimaryKeyConstraint('idempotency_keys_key', ['owner', 'route', 'key'])
    .execute();
  const keys = (name: string): ReturnType<typeof db.schema.createIndex> => db.schema.createIndex(name);
  await keys('idempotency_keys_by_age').on('idempotency_keys').columns(['created_at']).execute();
  await keys('idempotency_keys_by_chat').on('idempotency_keys').columns(['chat_id']).execute();
  await createTable('owner_usage')
    .addColumn('owner', types.text, (column) => column.notNull())
    .addColumn('period', types.text, (column) => column.notNull())
    .addColumn('turns', types.integer, (column) => column.notNull())
    .addColumn('tokens', types.integer, (column) => column.notNull())
    .addColumn('cost_micro_usd', types.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('owner_usage_key', ['owner', 'period'])
    .execute();
  await createTable('readiness_probes')
    .addColumn('id', types.text, (column) => column.primaryKey())
    .addColumn('written_at', types.integer, (column) => column.notNull())
    .execute();
}

async function createAudit({ db, createTable, types }: TableSchema): Promise<void> {
  await createTable('audit_log')
    .addColumn('id', types.serialKey)
    .addColumn('at', types.integer, (column) => column.notNull())
    .addColumn('action', types.text, (column) => column.notNull())
    .addColumn('actor', types.text, (column) => column.notNull())
    .addColumn('owner', types.text)
    .addColumn('subject', types.text)
    .addColumn('detail', types.text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('audit_log_by_owner').on('audit_log').columns(['owner', 'id']).execute();
}

/** Creates the sums of ended requests. They are empty: a report fills them from the requests. */
async function createQuality({ createTable, types }: TableSchema): Promise<void> {
  await createTable('quality_sums')
    .addColumn('owner', types.text, (column) => column.notNull())
    .addColumn('width', types.text, (column) => column.notNull())
    .addColumn('start', types.integer, (column) => column.notNull())
    // A hash, because Postgres limits the size of an index's row.
    .addColumn('key', types.text, (column) => column.notNull())
    .addColumn('facts', types.text, (column) => column.notNull())
    .addColumn('answers', types.integer, (column) => column.notNull())
    .addColumn('first_try', types.integer, (column) => column.notNull())
    .addColumn('valid', types.integer, (column) => column.notNull())
    .addColumn('attempts', types.integer, (column) => column.notNull())
    .addColumn('unanswered', types.integer, (column) => column.notNull())
    .addColumn('cost_usd', types.real)
    // A row of a field has no other counts.
    .addColumn('path', types.text)
    .addColumn('rule', types.text)
    .addColumn('failed', types.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('quality_sums_key', ['owner', 'width', 'start', 'key'])
    .execute();
  await createTable('quality_marks')
    .addColumn('owner', types.text, (column) => column.primaryKey())
    .addColumn('ended_at', types.integer, (column) => column.notNull())
    .addColumn('id', types.text, (column) => column.notNull())
    .execute();
}
