/** Branch of a batch item. */
import { randomBytes } from 'node:crypto';
import { isTemporaryBranch, temporaryBranchName } from '../../git/command/branch-name.ts';
import { git, type GitCallOptions } from '../../git/command/git.ts';
import { pathsOf, type Repository } from '../../git/repository/repository.ts';
import type { BatchItem } from './batch-queue.ts';

/** Parts of a branch name. */
export interface ItemBranchOptions {
  readonly prefix: string | undefined;
  /** Included in a temporary name. */
  readonly name: string;
}

const MAX_ID_CHARS = 60;

/** Returns a new branch name. A repeated item must not reuse a branch with unfinished work. */
export function itemBranchName({ input, line }: BatchItem, { prefix, name }: ItemBranchOptions): string {
  const random = randomBytes(3);
  if (prefix === undefined) return temporaryBranchName({ name, now: new Date(), random });
  const id = Object.hasOwn(input, 'id') ? input['id'] : undefined;
  const slug = (typeof id === 'string' || typeof id === 'number' ? String(id) : '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, MAX_ID_CHARS)
    .replaceAll(/^-+|-+$/gu, '');
  return `${prefix}/${slug === '' ? line : slug}-${random.toString('hex')}`;
}

/**
 * Deletes an item's branch that has no commits. Temporary branches are deleted with their worktree.
 */
export async function deleteUnusedItemBranch(
  repository: Repository,
  branch: string,
  options: GitCallOptions,
): Promise<void> {
  if (isTemporaryBranch(branch)) return;
  await git(['update-ref', '-d', `refs/heads/${branch}`], {
    ...options,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
}
