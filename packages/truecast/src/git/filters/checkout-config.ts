/** Checkout of a new worktree: its filters, and the error when one fails. */
import { homedir } from 'node:os';
import type { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { git, type GitCallOptions, type GitResult } from '../command/git.ts';
import { listConfig } from '../command/config-entries.ts';
import { failedCall } from '../command/git-failure.ts';
import type { FilterDriver } from '../filter-rules/filter-driver.ts';
import { creationFilters, isLfs, LFS_OFFLINE, neutralFilters } from '../filter-rules/host-filters.ts';
import { pathsOf, type Repository } from '../repository/repository.ts';
import { judgeConfig } from '../repository/trusted-config.ts';

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
  const { drivers, creationFilters: filters } = await repository.trustedConfig();
  return withLfs(filters, drivers, { repository, start, timeoutMs, signal });
}

/**
 * Returns the configuration for a checkout in which an agent's commit is checked: the drivers that
 * the repository had before the agent, and no other. An agent without its own git directory can
 * have changed the configuration since.
 */
export async function verifiedCheckoutConfig(options: CheckoutOptions): Promise<readonly string[]> {
  const { repository, timeoutMs, signal } = options;
  const { drivers, creationFilters: pinned } = await repository.trustedConfig();
  const call = { timeoutMs, signal, cwd: repository.topLevel, paths: pathsOf(repository) };
  const place = { ...repository, otherTopLevels: [repository.mainTopLevel] };
  const now = judgeConfig(await listConfig(call), place, false).drivers;
  const before = new Map(drivers.map((driver) => [driver.name, driver]));
  // No override removes a `process`, so a driver that had none is turned off.
  const foreign = now.filter(({ name, process }) => {
    const known = before.get(name);
    return known === undefined || (known.process === undefined && process !== undefined);
  });
  // On the host, all drivers of the user run, also those whose program an agent could change.
  const filters = repository.isUnguarded
    ? creationFilters(
        drivers.map((driver) => ({ ...driver, distrust: undefined })),
        homedir(),
      )
    : pinned;
  const own = await withLfs(filters, drivers, options);
  return [...own, ...neutralFilters(foreign)];
}

async function withLfs(
  filters: readonly string[],
  drivers: readonly FilterDriver[],
  { repository, start, timeoutMs, signal }: CheckoutOptions,
): Promise<readonly string[]> {
  const isOwnCommit = start === repository.headSha || filters.length === 0;
  if (isOwnCommit || !drivers.some(isLfs)) return filters;
  const { exitCode } = await git(['diff-tree', '--quiet', repository.headSha, start, '--', '.lfsconfig'], {
    timeoutMs,
    signal,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
  return exitCode === 0 ? filters : [...filters, ...LFS_OFFLINE];
}

/** Returns the error for a checkout that a filter stopped, or undefined for another failure. */
export function filterFailure(
  { stderr, exitCode }: GitResult,
  { topLevel }: Pick<Repository, 'topLevel'>,
): RepositoryError | undefined {
  const match = /fatal: (.*): smudge filter (.*) failed/u.exec(stderr);
  if (match === null) return undefined;
  return failedCall(
    `The filter \`${match[2] ?? ''}\` failed on \`${match[1] ?? ''}\`, so no worktree was created.`,
    `Its files would be filtered twice when they are committed. Fix the filter until \`git worktree add\` works in \`${topLevel}\`, then try again.`,
    { stderr, exitCode },
  );
}
