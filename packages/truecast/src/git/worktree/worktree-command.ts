/** Changes to the repository's list of worktrees, serialized across processes. */
import { git, type GitCallOptions, type GitOptions, type GitResult } from '../command/git.ts';
import { withLock } from '../command/lock.ts';
import { pathsOf, type Repository } from '../repository/repository.ts';

/** Long enough for a queue of twenty runs. */
const MIN_WAIT_MS = 300_000;

/**
 * Writing or removing the files of a large worktree takes seconds to minutes. Killing git in
 * between leaves an incomplete worktree.
 */
export const MIN_FILES_MS: number = 300_000;

/**
 * Runs `git worktree <args>` under a lock of the repository.
 *
 * Git reads every worktree's files to add one. It fails on files that another `git worktree add`
 * has not finished writing ("failed to read …/commondir: Success", git 2.39).
 */
export function worktreeCommand(
  repository: Repository,
  args: readonly string[],
  { timeoutMs, signal, config, onSpawn }: GitCallOptions & Pick<GitOptions, 'config' | 'onSpawn'>,
): Promise<GitResult> {
  const lock = {
    commonDir: repository.commonDir,
    key: 'worktrees',
    subject: 'The list of worktrees',
    command: `git worktree ${args[0] ?? ''}`,
    now: new Date(),
    waitMs: Math.max(timeoutMs, MIN_WAIT_MS),
    signal,
  };
  return withLock(lock, () =>
    git(['worktree', ...args], {
      timeoutMs: Math.max(timeoutMs, MIN_FILES_MS),
      signal,
      config,
      onSpawn,
      cwd: repository.topLevel,
      paths: pathsOf(repository),
    }),
  );
}
