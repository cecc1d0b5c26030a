/** Commits of a run, as the command prints them after the answer. */
import { isAnswer } from '@truecast/core/internal/output/definition/outcome';
import type { AnyRunOptions, AnyRunResult } from 'truecast/internal/run/options/read-only';
import { tell, tellToCopy, type Terminal } from './print.ts';

/** Prints the results of the run: commits, kept work, a pull request. */
export function tellCommits(
  result: AnyRunResult,
  { branchStrategy, output }: AnyRunOptions,
  terminal: Terminal,
): void {
  if (result.commits === undefined) {
    tell('Read-only: what the agent wrote is thrown away.', terminal, 'aside');
    return;
  }
  const count = result.commits.length;
  const commits = `${count} commit${count === 1 ? '' : 's'}`;
  if (result.preservedWorktreePath !== undefined) {
    tellToCopy('Uncommitted work is kept', result.preservedWorktreePath, terminal);
  }
  if (result.pullRequestUrl !== undefined) {
    tellToCopy(`${commits} on ${result.branch}. Pull request`, result.pullRequestUrl, terminal);
  } else if (branchStrategy?.type === 'branch' && count > 0 && isAnswer(answerOf(result), output)) {
    tellToCopy(`${commits} on ${result.branch}. To merge`, `git merge ${result.branch}`, terminal);
  } else if (count > 0) tell(`${commits} on ${result.branch}`, terminal);
  else tell('No commits.', terminal, 'aside');
}

/** Returns the answer of a run, or null without an output. */
export function answerOf(result: AnyRunResult): unknown {
  return 'output' in result ? result.output : null;
}
