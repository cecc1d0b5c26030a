/** Error of a branch that another worktree has checked out. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { quoteArgument } from '../../support/shell-quote.ts';

/** Returns the error, with a command for a worktree that Sandcastle left. */
export function branchInUse(branch: string, path: string): RepositoryError {
  const isLeft = path.includes('/.sandcastle/worktrees/');
  const remedy = isLeft
    ? `Sandcastle left it there. Keep what you need, then run \`git worktree remove ${quoteArgument(path)}\`, or pass another branch.`
    : 'Check out another branch there, or pass another one here.';
  return new RepositoryError(
    `The branch \`${branch}\` is checked out in \`${path}\`, and git allows only one checkout of a branch. ${remedy}`,
    { code: 'branch-in-use' },
  );
}
