/** Start of an agent run with `run()`, which throws all work away on request. */
import type { CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import type { RunPromise } from 'truecast/internal/run/events/run-events';
import type { AnyRunResult } from 'truecast/internal/run/options/read-only';
import type { RunOptions } from 'truecast/internal/run/options/run-options';
import { TEMPORARY_PLACE } from 'truecast/internal/run/places/temporary-place';
import { newBranch } from 'truecast/internal/run/options/new-branch';
import { run } from 'truecast/internal/run/run';
import { runAt } from 'truecast/internal/run/stages/run-at';

/** Result of a run. One that throws its work away has no branch and no commits. */
export type EndedRun = AnyRunResult;

/** Unlike `run({ readOnly })`, a read-only run can begin at another commit than HEAD. */
export function beginRun(
  options: RunOptions,
  { read_only: readOnly, ref }: Pick<CreateAgentRunBody, 'read_only' | 'ref'>,
): RunPromise<EndedRun> {
  if (readOnly !== true) return run(options);
  // Only a branch with a temporary name is removed with its worktree.
  const branchStrategy = { ...newBranch({}), ...(ref !== undefined && { baseBranch: ref }) };
  return runAt({ ...TEMPORARY_PLACE, isThrownAway: true }, { ...options, branchStrategy });
}
