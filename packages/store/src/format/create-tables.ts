/** Tables of the current format, in an empty database. */
import { createAgentRunTables } from './create-agent-runs.ts';
import { createChatTables } from './create-chats.ts';
import {
  ACCESS_TOKENS,
  AUDIT_LOG,
  IDEMPOTENCY_KEYS,
  OWNER_USAGE,
  READINESS_PROBES,
  SIGN_IN_CODES,
} from '../tables/chats.ts';
import { EVENTS } from '../tables/events.ts';
import { JOBS } from '../tables/jobs.ts';
import { QUALITY_MARKS, QUALITY_SUMS } from '../tables/quality.ts';
import { KEY, makeSchema, UNIQUE, type TableSchema } from './table-schema.ts';

export async function createTables(schema: TableSchema): Promise<void> {
  await createEvents(schema);
  await createChatTables(schema);
  await createJobs(schema);
  await createAccounts(schema);
  await createAudit(schema);
  await createQuality(schema);
  await createAgentRunTables(schema);
}

async function createEvents({ db, createTable }: TableSchema): Promise<void> {
  await createTable('events', EVENTS, { id: UNIQUE }).execute();
  await db.schema.createIndex('events_run').on('events').columns(['run_id', 'offset']).execute();
  await db.schema.createIndex('events_kind').on('events').columns(['kind', 'offset']).execute();
  await db.schema.createIndex('events_actor').on('events').columns(['actor', 'offset']).execute();
}

/**
 * Creates `jobs` on SQLite, or the schema for pg-boss's tables on Postgres, because two processes that
 * create the schema at once would collide.
 */
async function createJobs({ dialect, db, createTable }: TableSchema): Promise<void> {
  if (dialect === 'postgres') {
    await makeSchema(db, 'truecast_queue');
    return;
  }
  await createTable('jobs', JOBS).execute();
  await db.schema.createIndex('jobs_key').on('jobs').columns(['queue', 'key', 'id']).execute();
}

/** Creates the tables of tokens and codes, of kept responses and of usage, and the row of the readiness check. */
async function createAccounts({ db, createTable }: TableSchema): Promise<void> {
  await createTable('access_tokens', ACCESS_TOKENS, { id: KEY, hash: UNIQUE }).execute();
  await createTable('sign_in_codes', SIGN_IN_CODES, { hash: KEY }).execute();
  await createTable('idempotency_keys', IDEMPOTENCY_KEYS)
    .addPrimaryKeyConstraint('idempotency_keys_key', ['owner', 'route', 'key'])
    .execute();
  const keys = (name: string): ReturnType<typeof db.schema.createIndex> => db.schema.createIndex(name);
  await keys('idempotency_keys_by_age').on('idempotency_keys').columns(['created_at']).execute();
  await keys('idempotency_keys_by_chat').on('idempotency_keys').columns(['chat_id']).execute();
  await createTable('owner_usage', OWNER_USAGE)
    .addPrimaryKeyConstraint('owner_usage_key', ['owner', 'period'])
    .execute();
  await createTable('readiness_probes', READINESS_PROBES, { id: KEY }).execute();
}

async function createAudit({ db, createTable }: TableSchema): Promise<void> {
  await createTable('audit_log', AUDIT_LOG).execute();
  await db.schema.createIndex('audit_log_by_owner').on('audit_log').columns(['owner', 'id']).execute();
}

/** Creates the sums of ended requests. They are empty: a report fills them from the requests. */
async function createQuality({ createTable }: TableSchema): Promise<void> {
  await createTable('quality_sums', QUALITY_SUMS)
    .addPrimaryKeyConstraint('quality_sums_key', ['owner', 'width', 'start', 'key'])
    .execute();
  await createTable('quality_marks', QUALITY_MARKS, { owner: KEY }).execute();
}
