/** Default destination of commits: a new branch, so that the caller's checkout stays as it is. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { temporaryBranchName } from '../../git/command/branch-name.ts';
import type { NamedBranchStrategy } from '../../git/command/branch-strategy.ts';

/** Parts of a new branch's name. */
export interface NewBranchOptions {
  readonly name?: string | undefined;
  /** @default 'truecast' */
  readonly prefix?: string | undefined;
}

/**
 * Chooses a new branch. Without commits, it is deleted with its worktree.
 *
 * @throws UsageError for a name that is no text; RepositoryError `invalid-branch` for a prefix that
 *   git would reject
 */
export function newBranch({ name, prefix }: NewBranchOptions): NamedBranchStrategy {
  if (name !== undefined) assertKind(name, 'a string', 'name', 'Pass a text, or leave it out.');
  const random = crypto.getRandomValues(new Uint8Array(3));
  return { type: 'branch', branch: temporaryBranchName({ name, now: new Date(), random, prefix }) };
}
