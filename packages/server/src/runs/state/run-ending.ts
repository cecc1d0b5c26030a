/** End of a run: the one write of its receipt, and the end of its execution. */
import { createHash } from 'node:crypto';
import { write } from '@truecast/store/internal/write';
import type { RunFailure, RunOutcome } from '../agent-executor.ts';
import { addDelivery } from '../webhooks/new-delivery.ts';
import { toMicroUsd } from '../../contract/micro-usd.ts';
import { readOr } from '../../state/rows/stored-json.ts';
import { storedResultOf, storedUsageOf, type StoredResult } from './run-records.ts';
import type { RunUpdate } from './run-update.ts';

/** Outcome of a run, with an error unless it succeeded. */
export type WrittenEnding =
  | { readonly status: 'succeeded'; readonly outcome: RunOutcome }
  | { readonly status: 'failed' | 'canceled'; readonly outcome: RunOutcome; readonly error: RunFailure };

/** Ending of a run whose row was written by another version, or changed in the database. */
export const UNREADABLE: WrittenEnding = {
  status: 'failed',
  error: {
    code: 'internal',
    reason: 'unreadable',
    message: 'The stored row of the run has an unknown format. Create the run again.',
  },
  outcome: {},
};

/**
 * Writes the receipt. The transition table allows it once. What the ending does not know is taken from the row,
 * such as the commits that a worker stored when it left.
 */
export async function writeEnding(
  update: RunUpdate,
  ending: WrittenEnding,
  execution: 'ended' | 'left' | 'lost' = 'ended',
): Promise<void> {
  const { run, next, now } = update;
  const { status } = ending;
  const outcome: RunOutcome = { ...storedResultOf(run), ...ending.outcome };
  await endExecution(update, execution);
  next.status = status;
  next.phase = null;
  next.worker = null;
  next.ended_at = now;
  next.error = ending.status === 'succeeded' ? null : JSON.stringify(ending.error);
  writeProgress(update, outcome);
  next.value_text = outcome.valueText ?? null;
  next.value_hash = outcome.valueText === undefined ? null : sha256(outcome.valueText);
  const result = toResult(outcome);
  next.result = JSON.stringify(result);
  // Without a required answer there is no attempt, and an agent that was not started has no duration.
  next.attempt_count = result.attempts.length || null;
  next.duration_ms = run.started_at === null ? null : Math.max(0, now - run.started_at);
  const { cost_usd: cost } = readOr(() => storedUsageOf(next), undefined) ?? {};
  next.cost_micro_usd = cost === undefined ? null : toMicroUsd(cost);
  await addDelivery(update.tx, next, { now, announce: update.context.announce });
}

/** Writes the progress of a run that continues. */
export function writeProgress(
  { next }: RunUpdate,
  {
    branch,
    baseSha,
    headSha,
    pushedSha,
    usage,
  }: Pick<RunOutcome, 'branch' | 'baseSha' | 'headSha' | 'pushedSha' | 'usage'>,
): void {
  // What was pushed is on the branch before.
  if (branch !== undefined && branch !== next.branch) next.pushed_sha = null;
  next.branch = branch ?? next.branch;
  // The first base stays, so that `commits` has the work of all executions.
  next.base_sha ??= baseSha ?? null;
  next.head_sha = headSha ?? next.head_sha;
  next.pushed_sha = pushedSha ?? next.pushed_sha;
  if (usage !== undefined) next.usage = JSON.stringify(usage);
}

/** Ends the current execution, if the run has one. */
export async function endExecution(
  { tx, run, now }: RunUpdate,
  ending: 'ended' | 'left' | 'lost',
): Promise<void> {
  if (run.worker === null) return;
  await write(
    tx,
    tx.db
      .updateTable('agent_run_executions')
      .set({ ended_at: now, ending })
      .where('run_id', '=', run.id)
      .where('number', '=', run.generation),
  );
}

/** Members of the receipt without a column. */
export function toResult({
  text,
  mode,
  model,
  attempts = [],
  repairs = [],
  warnings = [],
  commits = [],
  earlierBranches = [],
}: RunOutcome): StoredResult {
  return {
    ...(text !== undefined && { text }),
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model }),
    attempts: [...attempts],
    ...(repairs.length > 0 && { repairs: [...repairs] }),
    warnings: [...warnings],
    commits: [...commits],
    ...(earlierBranches.length > 0 && { earlierBranches: [...earlierBranches] }),
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
