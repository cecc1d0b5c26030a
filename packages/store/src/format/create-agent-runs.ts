/** Tables of durable runs: batches, runs, their executions, events and blobs, and the processes that execute them. */
import { sql } from 'kysely';
import {
  AGENT_BATCHES,
  AGENT_RUN_BLOBS,
  AGENT_RUN_EVENTS,
  AGENT_RUN_EXECUTIONS,
  AGENT_RUNS,
  RUN_WORKERS,
  WEBHOOK_DELIVERIES,
  WEBHOOK_SECRETS,
} from '../tables/agent-runs.ts';
import { KEY, type ColumnChanges, type TableSchema } from './table-schema.ts';

const OF_RUN: ColumnChanges = { run_id: (column) => column.notNull().references('agent_runs.id') };

const OPEN = "'queued', 'running', 'canceling'";
const ENDED = "'succeeded', 'failed', 'canceled'";

export async function createAgentRunTables(schema: TableSchema): Promise<void> {
  const { createTable, dialect } = schema;
  await createTable('agent_batches', AGENT_BATCHES, { id: KEY })
    .addUniqueConstraint('agent_batches_name', ['owner', 'name'])
    .execute();
  // Few rows: each claim reads the batches whose budget is spent, while items wait for it.
  await sql`create index agent_batches_spent on agent_batches (id) where (spent_tokens >= budget_tokens or spent_micro_usd >= budget_micro_usd) and items > succeeded + failed + canceled`.execute(
    schema.db,
  );
  await createRuns(schema);
  await indexRuns(schema);
  await createTable('agent_run_executions', AGENT_RUN_EXECUTIONS, OF_RUN)
    .addPrimaryKeyConstraint('agent_run_executions_key', ['run_id', 'number'])
    .execute();
  await createTable('agent_run_events', AGENT_RUN_EVENTS, OF_RUN)
    .addPrimaryKeyConstraint('agent_run_events_key', ['run_id', 'seq'])
    .execute();
  await createTable('agent_run_blobs', AGENT_RUN_BLOBS, OF_RUN)
    .addPrimaryKeyConstraint('agent_run_blobs_key', ['run_id', 'name', 'part'])
    .execute();
  await createWebhooks(schema);
  const workers = createTable('run_workers', RUN_WORKERS, { id: KEY });
  await (dialect === 'postgres' ? workers.modifyFront(sql`unlogged`) : workers).execute();
}

async function createRuns({ createTable }: TableSchema): Promise<void> {
  await createTable('agent_runs', AGENT_RUNS, {
    id: KEY,
    batch_id: (column) => column.references('agent_batches.id'),
  })
    .addCheckConstraint('agent_runs_status', sql`status in (${sql.raw(`${OPEN}, ${ENDED}`)})`)
    // Constraints reject impossible rows, so that no code has to repair them.
    .addCheckConstraint('agent_runs_worker', sql`(worker is not null) = (status in ('running', 'canceling'))`)
    .addCheckConstraint(
      'agent_runs_phase',
      sql`(worker is null or phase is not null) and (phase is null or status in (${sql.raw(OPEN)}))`,
    )
    .addCheckConstraint(
      'agent_runs_ending',
      sql`(ended_at is not null) = (status in (${sql.raw(ENDED)})) and (error is not null) = (status in ('failed', 'canceled'))`,
    )
    .addCheckConstraint(
      'agent_runs_success',
      sql`status <> 'succeeded' or (value_text is not null) = (schema_hash is not null)`,
    )
    .addCheckConstraint(
      'agent_runs_item',
      sql`(batch_id is null) = (item_key is null) and (batch_seq is not null) = (batch_id is not null and ended_at is not null)`,
    )
    .execute();
}

async function indexRuns({ db }: TableSchema): Promise<void> {
  await db.schema
    .createIndex('agent_runs_by_owner')
    .on('agent_runs')
    .columns(['owner', 'created_at', 'id', 'status', 'repository', 'agent', 'parent_id'])
    .execute();
  // An open run has no number, so it is in none of these.
  for (const column of ['attempt_count', 'duration_ms', 'cost_micro_usd']) {
    await db.schema
      .createIndex(`agent_runs_by_${column}`)
      .on('agent_runs')
      .columns(['owner', column, 'id'])
      .where(sql<boolean>`${sql.ref(column)} is not null`)
      .execute();
  }
  // The head of each lane of the queue is one step in this index, however many runs wait behind it.
  await sql`create index agent_runs_queued on agent_runs (owner, repository, agent, priority desc, created_at, id) where status = 'queued'`.execute(
    db,
  );
  await sql`create index agent_runs_expiring on agent_runs (expires_at) where status = 'queued' and expires_at is not null`.execute(
    db,
  );
  await sql`create index agent_runs_by_parent on agent_runs (parent_id, relation) where parent_id is not null`.execute(
    db,
  );
  await sql`create index agent_runs_by_end on agent_runs (ended_at) where ended_at is not null`.execute(db);
  // Runs whose events and artifacts are still stored.
  await sql`create index agent_runs_uncleared on agent_runs (ended_at) where ended_at is not null and cleared_at is null`.execute(
    db,
  );
  // Few rows: a machine asks for them before it removes the branch of a run that has ended.
  await sql`create index agent_runs_open_branches on agent_runs (branch) where ended_at is null`.execute(db);
  await sql`create unique index agent_runs_items on agent_runs (batch_id, item_key) where batch_id is not null`.execute(
    db,
  );
  await sql`create index agent_runs_by_batch_end on agent_runs (batch_id, batch_seq) where batch_seq is not null`.execute(
    db,
  );
  // Few rows: those of running runs.
  await sql`create index agent_runs_held on agent_runs (owner, repository, agent, worker) where worker is not null`.execute(
    db,
  );
}

async function createWebhooks({ db, createTable }: TableSchema): Promise<void> {
  await createTable('webhook_deliveries', WEBHOOK_DELIVERIES, { id: KEY, ...OF_RUN }).execute();
  const indexes = (name: string): ReturnType<typeof db.schema.createIndex> => db.schema.createIndex(name);
  await indexes('webhook_deliveries_by_run').on('webhook_deliveries').columns(['run_id']).execute();
  await indexes('webhook_deliveries_by_address')
    .on('webhook_deliveries')
    .columns(['owner', 'url', 'status'])
    .execute();
  await sql`create index webhook_deliveries_due on webhook_deliveries (next_at) where status = 'pending'`.execute(
    db,
  );
  await createTable('webhook_secrets', WEBHOOK_SECRETS, { owner: KEY }).execute();
}
