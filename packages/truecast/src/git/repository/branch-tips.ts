/** Start point of a named branch: its own tip, its base, or its remote branch. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { findCommit } from '../command/find-commit.ts';
import { gitOutput, type GitCallOptions } from '../command/git.ts';
import { pathsOf, type Repository } from './repository.ts';

/** Possible start points of a branch. */
export interface BranchTips {
  /** The branch itself, if it already exists. */
  readonly branch: string | undefined;
  readonly remote: string | undefined;
  readonly base: string | undefined;
}

export interface ResolveTipsOptions extends GitCallOptions {
  readonly repository: Repository;
  readonly branch: string;
  readonly baseBranch: string | undefined;
}

/**
 * Looks up a branch, its remote branch, and its base.
 *
 * @throws RepositoryError `invalid-branch` if `baseBranch` is needed and does not exist
 */
export async function resolveTips(options: ResolveTipsOptions): Promise<BranchTips> {
  const { repository, branch, baseBranch, timeoutMs, signal } = options;
  const call = { timeoutMs, signal, cwd: repository.topLevel, paths: pathsOf(repository) };
  const ownName = `refs/heads/${branch}`;
  const remoteName = `refs/remotes/origin/${branch}`;
  const { hasOrigin } = await repository.trustedConfig();
  const [listed, base] = await Promise.all([
    gitOutput(['for-each-ref', '--format=%(objectname) %(refname)', ownName, remoteName], call),
    baseBranch === undefined ? undefined : findCommit(baseBranch, call),
  ]);
  // A pattern also lists names below it, for example `a/b` for `a`.
  const tipOf = (name: string): string | undefined =>
    listed
      .split('\n')
      .find((line) => line.endsWith(` ${name}`))
      ?.split(' ')[0];
  const own = tipOf(ownName);
  if (own === undefined && baseBranch !== undefined && base === undefined) {
    throw new RepositoryError(
      `Expected \`baseBranch\` to be an existing branch or commit, got \`${cut(baseBranch)}\`. Create it, fetch it, or remove \`baseBranch\`.`,
      { code: 'invalid-branch' },
    );
  }
  return { branch: own, remote: hasOrigin ? tipOf(remoteName) : undefined, base };
}
