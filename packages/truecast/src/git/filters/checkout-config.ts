/** Checkout of a new worktree: its filters, and the error when one fails. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { git, type GitCallOptions, type GitResult } from '../command/git.ts';
import { pathsOf, type Repository } from '../repository/repository.ts';
import { isLfs, LFS_OFFLINE } from '../filter-rules/host-filters.ts';

/** The commit that is checked out. */
export interface CheckoutOptions extends GitCallOptions {
  readonly repository: Repository;
  readonly start: string;
}

/**
 * Returns the configuration for the checkout. A commit that the user has not checked out can
 * contain a guest's `.lfsconfig`. In that case git-lfs downloads nothing.
 */
export async function checkoutConfig({
  repository,
  start,
  timeoutMs,
  signal,
}: CheckoutOptions): Promise<readonly string[]> {
  const { drivers, creationFilters } = await repository.trustedConfig();
  const isOwnCommit = start === repository.headSha || creationFilters.length === 0;
  if (isOwnCommit || !drivers.some(isLfs)) return creationFilters;
  const { exitCode } = await git(['diff-tree', '--quiet', repository.headSha, start, '--', '.lfsconfig'], {
    timeoutMs,
    signal,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
  return exitCode === 0 ? creationFilters : [...creationFilters, ...LFS_OFFLINE];
}

/** Returns the error for a checkout that a filter stopped, or undefined for another failure. */
export function filterFailure(
  { stderr, exitCode }: GitResult,
  { topLevel }: Pick<Repository, 'topLevel'>,
): RepositoryError | undefined {
  const match = /fatal: (.*): smudge filter (.*) failed/u.exec(stderr);
  if (match === null) return undefined;
  return new RepositoryError(
    `The filter \`${match[2] ?? ''}\` failed on \`${match[1] ?? ''}\`, so no worktree was created. Its files would be filtered twice when they are committed. Fix the filter until \`git worktree add\` works in \`${topLevel}\`, then try again.`,
    { code: 'git-failed', exitCode, stderrTail: stderr.slice(-2_000) },
  );
}
