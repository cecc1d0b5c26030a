/** Runs as the clean-up of a worker's machine reads them, and its line in the audit log. */
import { sql } from '@truecast/store/internal/database/sql';
import type { RemovedRemains } from '../../contract/observed-work.ts';
import { writeAudit } from '../../state/rows/audit-log.ts';
import type { StateDb } from '../../state/rows/machine-context.ts';
import type { CleanableRun } from '../agent-executor.ts';
import { timeOf, type AgentRunContext } from './run-context.ts';
import { storedResultOf } from './run-records.ts';

/**
 * Reads runs by id, of all owners. One that this database does not have is missing. A run of another version is
 * read too: its columns are enough.
 */
export async function cleanableRuns(
  context: AgentRunContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CleanableRun>> {
  if (ids.length === 0) return new Map();
  const { db } = context.store;
  const rows = await db
    .selectFrom('agent_runs as run')
    .select(['run.id', 'owner', 'branch', 'pushed_sha', 'result', 'ended_at', 'cleared_at'])
    .select([sql<number | null>`${timeOf(context)} - ended_at`.as('age'), IS_FOLLOWED, HAS_LOG])
    .where('run.id', 'in', ids)
    .execute();
  const runs = rows.map((row) => {
    const earlier = storedResultOf(row)?.earlierBranches ?? [];
    return { row, branches: [...new Set([row.branch, ...earlier])] };
  });
  const earlier = runs.flatMap(({ branches }) => branches.slice(1));
  const open = await openBranches(db, earlier);
  return new Map(
    runs.map(({ row, branches }) => [
      row.id,
      {
        id: row.id,
        owner: row.owner,
        branches,
        isEnded: row.ended_at !== null,
        ageMs: Math.max(0, row.age ?? 0),
        isFollowed: row.is_followed === 1 || branches.some((branch) => open.has(branch)),
        isCleared: row.cleared_at !== null,
        hasLog: row.has_log === 1,
        ...(row.pushed_sha !== null && { pushedSha: row.pushed_sha }),
      },
    ]),
  );
}

/** Another run of the branch, also of another repository's name, and a retry, a continuation or a fork. */
const IS_FOLLOWED = sql<number>`case when exists (
    select 1 from agent_runs as other
    where other.ended_at is null and other.branch = run.branch and other.id <> run.id
  ) or exists (
    select 1 from agent_runs as child where child.parent_id = run.id and child.ended_at is null
  ) then 1 else 0 end`.as('is_followed');

/** The end alone is stored of a log that is too long. */
const HAS_LOG = sql<number>`case when exists (
    select 1 from agent_run_blobs as log
    where log.run_id = run.id and log.name = 'log' and log.part = 0 and log.omitted = 0
  ) then 1 else 0 end`.as('has_log');

/** Few runs have earlier branches, of a lost worker. */
async function openBranches(db: StateDb, branches: readonly string[]): Promise<ReadonlySet<string>> {
  if (branches.length === 0) return new Set();
  const query = db.selectFrom('agent_runs').select('branch').where('branch', 'in', branches);
  const rows = await query.where('ended_at', 'is', null).execute();
  return new Set(rows.map(({ branch }) => branch));
}

/** Stores the number of parts that a machine has removed. */
export async function auditCleanUp(
  { store, now }: AgentRunContext,
  { worktrees, references, logs }: RemovedRemains,
): Promise<void> {
  const detail = { worktrees, references, logs };
  await writeAudit(store.db, { action: 'retention_run', actor: 'retention', detail }, now());
}
