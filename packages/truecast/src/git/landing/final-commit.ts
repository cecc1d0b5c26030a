/** Final commit of an agent: the one that its branch will name, and the files that it lacks. */
import { containsCommit, findCommit } from '../command/find-commit.ts';
import { gitOutput, type GitCallOptions } from '../command/git.ts';
import { pathsOf } from '../repository/repository.ts';
import { readStatus } from '../worktree/status.ts';
import { worktreePaths, type LockedWorktree } from '../worktree/worktree.ts';

/**
 * Returns the commit that lands: the branch's tip, or the base commit if the agent deleted the
 * branch.
 */
export async function readFinalCommit(worktree: LockedWorktree, call: GitCallOptions): Promise<string> {
  return (await readTip(worktree, call)) ?? worktree.baseSha;
}

/** Returns the branch's tip. Undefined if the branch does not exist. */
export async function readTip(
  { branch, repository }: LockedWorktree,
  call: GitCallOptions,
): Promise<string | undefined> {
  if (branch === undefined) return undefined;
  return findCommit(`refs/heads/${branch}`, {
    ...call,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
}

/** Returns true if `newer` contains `older`. */
export async function isAncestor(
  { repository }: Pick<LockedWorktree, 'repository'>,
  range: { readonly older: string; readonly newer: string },
  call: GitCallOptions,
): Promise<boolean> {
  return containsCommit(range, { ...call, cwd: repository.topLevel, paths: pathsOf(repository) });
}

const MAX_HIDDEN = 10;

export interface MissingWork {
  /** Files whose content is in no commit. */
  readonly changed: readonly string[];
  /** Files whose changes git was told to ignore. */
  readonly hidden: readonly string[];
  /** The worktree's HEAD, if it is elsewhere. */
  readonly head: string | undefined;
}

/** Finds the work in a worktree that is not in its final commit. */
export async function findMissingWork(
  worktree: LockedWorktree,
  commit: string,
  call: GitCallOptions,
): Promise<MissingWork> {
  const { baseSha, repository } = worktree;
  const paths = worktreePaths(worktree);
  const [{ dirtyPaths, headSha }, listed] = await Promise.all([
    readStatus({ paths, trustedCommit: baseSha, trustedConfig: repository.trustedConfig }, call),
    gitOutput(['ls-files', '-v', '-z'], { ...call, cwd: worktree.path, paths }),
  ]);
  // A lower-case letter marks `--assume-unchanged`.
  const hidden = listed
    .split('\0')
    .filter((line) => /^[a-z] /u.test(line))
    .slice(0, MAX_HIDDEN)
    .map((line) => line.slice(2));
  return { changed: dirtyPaths, hidden, head: headSha === commit ? undefined : headSha };
}
