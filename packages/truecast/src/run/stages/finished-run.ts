/** Result of a run with an id that was over before: read from its record, without an agent or a sandbox. */
import type { Repository } from '../../git/repository/repository.ts';
import { gitCallOf, type RunContext } from '../context/run-context.ts';
import type { AnyRunResult } from '../options/read-only.ts';
import { removeReadOnlyWorktrees } from '../prepare/read-only-worktrees.ts';
import type { Settled } from '../settle/settle-run.ts';
import type { Continuation } from './to-run-result.ts';
import { toRunResult } from './to-run-result.ts';
import type { Execution } from '../executions/execution.ts';
import type { ExecutionRecord } from '../executions/execution-record.ts';
import { restoreAnswer } from '../executions/restore-answer.ts';

/** Returns the stored result. Its texts can be shorter than those of the first result. */
export async function finishedRun(
  context: RunContext,
  execution: Execution,
  { repository, ...continuation }: Continuation & { readonly repository: Repository },
): Promise<AnyRunResult> {
  const { record } = execution;
  const { options, progress, emit } = context;
  const answer = record.answer && (await restoreAnswer(record.answer, options.output, options.native));
  const { ending } = record;
  restoreTurns(context, execution);
  if (ending !== undefined) {
    progress.stdout.push(ending.stdout);
    progress.text.push(ending.text);
    progress.warnings.push(...ending.warnings);
    progress.completionSignal = ending.completionSignal;
    for (const one of ending.recovered) progress.recovered.set(one.ref, one);
  }
  const settled = settledOf(record, options.branchStrategy.type === 'merge-to-head');
  // Killed after the landing: the result is stored now.
  if (ending === undefined) {
    if (options.isThrownAway) await removeReadOnlyWorktrees(repository, gitCallOf(context));
    await execution.ended(context, settled);
  }
  const result = toRunResult(context, settled, answer, continuation);
  const { commits, branch } = settled;
  emit({ type: 'run-end', evidence: { commits, ...(!options.isThrownAway && { branch }) } });
  return result;
}

/** Gives a new execution the turns of the earlier ones: their usage counts towards the budget. */
export function restoreTurns(
  { progress }: Pick<RunContext, 'progress'>,
  { decision, record }: Execution,
): void {
  progress.iterations.push(...record.iterations);
  // A session that could not be resumed is not the one of the next turn.
  if (decision !== 'start' && decision !== 'restart') progress.sessionId = record.sessionId;
}

function settledOf({ ending, commits = [], branch, target }: ExecutionRecord, isMerged: boolean): Settled {
  return {
    commits: commits.map((sha) => ({ sha })),
    branch: ending?.branch ?? (isMerged ? target : branch) ?? 'HEAD',
    preservedWorktreePath: ending?.preservedWorktreePath,
    sensitiveChanges: ending?.sensitiveChanges ?? [],
    ...(ending?.pullRequestUrl !== undefined && { pullRequestUrl: ending.pullRequestUrl }),
  };
}
