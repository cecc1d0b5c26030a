/** Needs of the option `publish`, checked before anything is created. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { Repository } from '../../git/repository/repository.ts';

/** Returns the base branch of the pull request. */
export function publishBase(strategy: BranchStrategy, repository: Pick<Repository, 'branch'>): string {
  const base = strategy.type === 'branch' ? strategy.baseBranch : undefined;
  return base?.replace(/^(?:refs\/heads\/|origin\/)/u, '') ?? repository.branch ?? 'HEAD';
}

/**
 * Rejects a publication that cannot work here.
 *
 * @throws UsageError
 */
export async function assertPublishable(
  { publish, branchStrategy }: { readonly publish?: unknown; readonly branchStrategy: BranchStrategy },
  repository: Repository,
  hasProgram: (name: string) => Promise<boolean>,
): Promise<void> {
  if (publish === undefined) return;
  if (!(await repository.trustedConfig()).hasOrigin) {
    throw new UsageError(
      `\`publish: 'pull-request'\` needs a remote \`origin\`, and \`${repository.topLevel}\` has none. Run \`git remote add origin URL\`.`,
    );
  }
  if (publishBase(branchStrategy, repository) === 'HEAD') {
    throw new UsageError(
      `\`publish: 'pull-request'\` needs a branch to merge into, and HEAD is detached. Check out a branch, or set \`baseBranch\`.`,
    );
  }
  if (await hasProgram('gh')) return;
  throw new UsageError(
    `\`publish: 'pull-request'\` needs the GitHub CLI \`gh\`, which is not on the PATH. Install it from https://cli.github.com, and run \`gh auth login\`.`,
    { code: 'unsupported' },
  );
}
