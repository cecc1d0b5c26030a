/** List of a repository's worktrees, its changes in one process at a time, and git's directory of one. */
import { readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listAdminDirectories } from '../checkout/admin-directories.ts';
import { git, gitOutput, type GitCallOptions, type GitOptions, type GitResult } from '../command/git.ts';
import { pathsOf, type Repository } from '../repository/repository.ts';
import { withLock } from '../command/lock.ts';

/** A checkout known to git. */
interface WorktreeEntry {
  readonly path: string;
  readonly headSha: string | undefined;
  /** Undefined if HEAD is detached, for example during a rebase. */
  readonly branch: string | undefined;
}

/** Lists all checkouts of a repository, the main one first. */
export async function listWorktrees(
  repository: Repository,
  { timeoutMs, signal }: GitCallOptions,
): Promise<WorktreeEntry[]> {
  const stdout = await gitOutput(['worktree', 'list', '--porcelain', '-z'], {
    timeoutMs,
    signal,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
  return stdout
    .split('\0\0')
    .filter((block) => block !== '')
    .map((block) => {
      const fields = block.split('\0');
      const field = (name: string): string | undefined =>
        fields.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
      return {
        path: field('worktree') ?? '',
        headSha: field('HEAD'),
        branch: field('branch')?.replace(/^refs\/heads\//u, ''),
      };
    });
}

/** Returns true if a repository has any linked worktree, complete or not. */
export async function hasLinkedWorktrees(commonDir: string): Promise<boolean> {
  const names = await readdir(join(commonDir, 'worktrees')).catch(() => []);
  return names.length > 0;
}

export async function findAdminDirectory(commonDir: string, path: string): Promise<string | undefined> {
  const all = await listAdminDirectories(commonDir);
  const named = all.find(({ gitFile }) => dirname(gitFile) === path);
  if (named !== undefined) return named.gitDir;
  const wanted = await real(path);
  for (const { gitDir, gitFile } of all) if ((await real(dirname(gitFile))) === wanted) return gitDir;
  return undefined;
}

async function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

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
