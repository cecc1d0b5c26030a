/** Budget of a batch: the sum of the usage of its runs, after which none of its items starts. */
import { sql } from '@truecast/store/internal/database/sql';
import type { BatchBudget } from '@truecast/client/internal/wire/runs/agent-batch';
import type { AgentBatchRow } from '@truecast/store/internal/tables/agent-runs';
import type { StateDb } from '../../state/rows/machine-context.ts';
import { toMicroUsd } from '../../contract/micro-usd.ts';

type BudgetColumns = Pick<AgentBatchRow, 'budget_tokens' | 'budget_micro_usd'>;

/** Returns the columns of a budget. */
export function toBudgetColumns({ tokens, usd }: BatchBudget = {}): BudgetColumns {
  return {
    budget_tokens: tokens ?? null,
    budget_micro_usd: usd === undefined ? null : toMicroUsd(usd),
  };
}

/** Returns true if the budget of a batch is spent. */
function isBudgetSpent(batch: AgentBatchRow): boolean {
  return (
    batch.spent_tokens >= (batch.budget_tokens ?? Infinity) ||
    batch.spent_micro_usd >= (batch.budget_micro_usd ?? Infinity)
  );
}

/** Returns true if items of the batch wait for its budget, and no worker has one. */
export async function isHeldByBudget(db: StateDb, batch: AgentBatchRow): Promise<boolean> {
  const ended = batch.succeeded + batch.failed + batch.canceled;
  if (batch.canceled_at !== null || ended === batch.items || !isBudgetSpent(batch)) return false;
  const runs = db.selectFrom('agent_runs').select('id').where('batch_id', '=', batch.id);
  return (await runs.where('worker', 'is not', null).limit(1).executeTakeFirst()) === undefined;
}

/** Lists the batches whose budget is spent and whose items have not all ended. The condition is that of their index. */
export async function spentBatchIds(db: StateDb): Promise<readonly string[]> {
  const { rows } = await sql<Pick<AgentBatchRow, 'id'>>`
    select id from agent_batches
    where (spent_tokens >= budget_tokens or spent_micro_usd >= budget_micro_usd)
      and items > succeeded + failed + canceled
  `.execute(db);
  return rows.map(({ id }) => id);
}
