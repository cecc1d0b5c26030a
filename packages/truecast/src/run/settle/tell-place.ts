/**
 * Notices on stderr for a run without a `logging` option, one line each: the path of its log, the
 * branch that it chose, and the place of an interrupted run's work.
 */
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { isAnswer } from '@truecast/core/internal/output/definition/outcome';
import type { RunEvidence } from '@truecast/core/internal/errors/base/run-evidence';
import { toTerminalText } from '../../support/terminal-text.ts';
import type { WorkingContext } from '../context/run-context.ts';
import type { AnyRunResult } from '../options/read-only.ts';

/** Prints the branch and the log of a run that starts. */
export function tellStartOfRun({ options, workspace, log }: WorkingContext): void {
  if (!options.hasDefaultLogging) return;
  if (options.isThrownAway) return tell(`${options.agent.name} reads. Log: ${log.path ?? 'none'}`);
  tell(`${options.agent.name} works on ${branchOf(workspace.worktree)}. Log: ${log.path ?? 'none'}`);
}

/** Prints how to merge a branch that the run chose. The caller has not seen its name. */
export function tellEndOfRun(
  { options }: WorkingContext,
  result: Pick<AnyRunResult, 'branch' | 'commits' | 'pullRequestUrl'> & { readonly output?: unknown },
): void {
  const { branch, commits, pullRequestUrl } = result;
  if (!options.hasDefaultLogging || !options.hasDefaultBranch) return;
  // A read-only run has neither.
  if (branch === undefined || commits === undefined) return;
  if (commits.length === 0 || pullRequestUrl !== undefined) return;
  const isDone = isAnswer(result.output, options.output);
  tell(`${countOf(commits)} on branch ${branch}.${isDone ? ` To merge: git merge ${branch}` : ''}`);
}

/** Prints the place of the work if a process signal ended the run. */
export function tellInterruptedRun(
  { options, log }: WorkingContext,
  error: unknown,
  { branch, preservedWorktreePath: path, commits }: RunEvidence,
): void {
  if (!options.hasDefaultLogging || !InterruptedError.isInstance(error)) return;
  const work =
    branch === undefined
      ? 'The agent left no work.'
      : `Branch: ${branch} (${countOf(commits)}).${path === undefined ? '' : ` Worktree: ${path}`}`;
  tell(`${error.processSignal} stopped the run. ${work} Log: ${log.path ?? 'none'}`);
}

function countOf(commits: readonly unknown[]): string {
  return `${commits.length} commit${commits.length === 1 ? '' : 's'}`;
}

function branchOf({ branch }: WorkingContext['workspace']['worktree']): string {
  return branch === undefined ? 'a detached HEAD' : `branch ${branch}`;
}

function tell(line: string): void {
  process.stderr.write(`truecast: ${toTerminalText(line)}\n`);
}
