/** Read-only run that begins at any commit. Unlike `run({ readOnly })`, which begins at HEAD, it is for servers. */
import type { RunPromise } from './events/run-events.ts';
import { newBranch } from './options/new-branch.ts';
import type { AnyRunResult } from './options/read-only.ts';
import type { RunOptions } from './options/run-options.ts';
import { TEMPORARY_PLACE } from './places/temporary-place.ts';
import { runAt } from './stages/run-at.ts';

/** Starts a run that throws all work away. Without `baseBranch` it begins at HEAD. */
export function readOnlyRun(options: RunOptions, baseBranch: string | undefined): RunPromise<AnyRunResult> {
  // Only a branch with a temporary name is removed with its worktree.
  const branchStrategy = { ...newBranch({}), ...(baseBranch !== undefined && { baseBranch }) };
  return runAt({ ...TEMPORARY_PLACE, isThrownAway: true }, { ...options, branchStrategy });
}
