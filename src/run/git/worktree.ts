/** Owns the place where an agent works: the caller's checkout, or a worktree of its own on a temporary or named branch. */
import { randomBytes } from 'node:crypto';
import { mkdir, realpath, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryError } from '../../errors/repository-error.ts';
import {
  assertBranchName,
  branchLockKey,
  temporaryBranchName,
  worktreeDirectoryName,
} from './branch-name.ts';
import { resolveTips } from './branch-tips.ts';
import type { BranchStrategy } from './branch-strategy.ts';
import { git, gitFailed, type GitCallOptions, type GitPaths } from './git.ts';
import { acquireLock, type Lock } from './lock.ts';
import type { Repository } from './repository.ts';
import { reuseWorktree, type Place } from './reuse-worktree.ts';
import { isPathWithin } from './path-within.ts';
import { ensureTruecastFolder } from './truecast-folder.ts';
import { MIN_FILES_MS, worktreeCommand } from './worktree-command.ts';
import { findAdminDirectory, hasLinkedWorktrees, listWorktrees } from './worktree-list.ts';

/** Where an agent works. Holds its lock until `lock.release()`. */
export interface Worktree {
  /** Host path of the files. */
  readonly path: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** Undefined only with `head` on a detached HEAD. */
  readonly branch: string | undefined;
  /** HEAD before the agent. */
  readonly baseSha: string;
  /** True when it was there before; it is then never removed. */
  readonly isReused: boolean;
  /** True when it was there before and held uncommitted work. */
  readonly wasDirty: boolean;
  readonly strategy: BranchStrategy;
  /** The caller's checkout, as it was at the start. */
  readonly repository: Repository;
  readonly lock: Lock;
}

/** What `createWorktree` takes. */
export interface CreateWorktreeOptions extends GitCallOptions {
  readonly repository: Repository;
  readonly branchStrategy: BranchStrategy;
  /** The run's name; stands in a temporary branch. */
  readonly name?: string | undefined;
  /** Stands in the message of a second run that finds this one at work. */
  readonly command: string;
  readonly now: Date;
  readonly onWarning: (message: string) => void;
}

/** Names the directories of a worktree for calls of git. */
export function worktreePaths({
  path,
  gitDir,
  commonDir,
}: Pick<Worktree, 'path' | 'gitDir' | 'commonDir'>): GitPaths {
  return { gitDir, commonDir, workTree: path };
}

/**
 * Locks the place where the agent is to work, and makes it where it is not there yet.
 *
 * @throws RepositoryError `locked`, `invalid-branch`, `branch-in-use`, `git-failed`, `timeout`
 */
export async function createWorktree(options: CreateWorktreeOptions): Promise<Worktree> {
  const { repository, branchStrategy, command, now } = options;
  const branch = branchOf(options);
  const lock = await acquireLock({
    commonDir: repository.commonDir,
    key:
      branchStrategy.type === 'head' || branch === undefined
        ? `checkout:${repository.gitDir}`
        : branchLockKey(branch),
    subject:
      branchStrategy.type === 'head'
        ? `The checkout \`${repository.topLevel}\``
        : `The branch \`${branch ?? ''}\``,
    command,
    now,
  });
  try {
    if (branchStrategy.type === 'head' || branch === undefined)
      return headWorktree(repository, branchStrategy, lock);
    const place =
      branchStrategy.type === 'branch'
        ? await placeNamed({ ...options, branch, baseBranch: branchStrategy.baseBranch })
        : await addWorktree({ ...options, branch, start: repository.headSha, isNewBranch: true });
    return {
      ...place,
      branch,
      strategy: branchStrategy,
      repository,
      commonDir: repository.commonDir,
      lock: unlocking(lock, place.gitDir),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function branchOf({ repository, branchStrategy, name, now }: CreateWorktreeOptions): string | undefined {
  switch (branchStrategy.type) {
    case 'head':
      return repository.branch;
    case 'merge-to-head':
      return temporaryBranchName({ name, now, random: randomBytes(3) });
    case 'branch':
      assertBranchName(branchStrategy.branch);
      return branchStrategy.branch;
    default:
      return branchStrategy satisfies never;
  }
}

function headWorktree(repository: Repository, strategy: BranchStrategy, lock: Lock): Worktree {
  return {
    path: repository.topLevel,
    gitDir: repository.gitDir,
    commonDir: repository.commonDir,
    branch: repository.branch,
    baseSha: repository.headSha,
    isReused: true,
    wasDirty: false,
    strategy,
    repository,
    lock,
  };
}

interface PlaceNamedOptions extends CreateWorktreeOptions {
  readonly branch: string;
  readonly baseBranch: string | undefined;
}

async function placeNamed(options: PlaceNamedOptions): Promise<Place> {
  const { repository, branch } = options;
  const isAlone = !(await hasLinkedWorktrees(repository.commonDir));
  const added = isAlone ? await addAsNew(options) : undefined;
  if (added !== undefined) return added;
  const [worktrees, tips] = await Promise.all([
    // Of the caller's own checkout git itself refuses the branch.
    isAlone ? [] : listWorktrees(repository, options),
    resolveTips(options),
  ]);
  const folder = ensureTruecastFolder(repository.mainTopLevel, 'worktrees');
  const path = join(folder, worktreeDirectoryName(branch));
  const existing =
    worktrees.find((entry) => entry.branch === branch) ?? worktrees.find((entry) => entry.path === path);
  if (existing !== undefined) {
    if (!(await isWithinReal(folder, existing.path))) throw inUse(branch, existing.path);
    const gitDir = await findAdminDirectory(repository.commonDir, existing.path);
    if (gitDir !== undefined && (await exists(existing.path))) {
      return reuseWorktree({ ...options, path: existing.path, gitDir });
    }
    await forgetMissing(repository, existing.path, options);
  }
  if (tips.branch !== undefined) return addWorktree({ ...options, start: tips.branch, isNewBranch: false });
  const start = tips.base ?? tips.remote ?? repository.headSha;
  return addWorktree({ ...options, start, isNewBranch: true });
}

/** Adds the worktree without a look at the branch first, where it is likely to be new and begins at HEAD; undefined when it is not. */
async function addAsNew(options: PlaceNamedOptions): Promise<Place | undefined> {
  const { repository, branch, baseBranch } = options;
  if (baseBranch !== undefined || (await repository.trustedConfig()).hasOrigin) return undefined;
  if (await exists(join(repository.commonDir, 'refs', 'heads', branch))) return undefined;
  try {
    return await addWorktree({ ...options, start: repository.headSha, isNewBranch: true });
  } catch (error) {
    // A branch in another file than its own: packed, or in a table.
    const isThere =
      RepositoryError.isInstance(error) && /branch named .* already exists/su.test(error.stderrTail ?? '');
    if (isThere) return undefined;
    throw error;
  }
}

interface AddWorktreeOptions extends CreateWorktreeOptions {
  readonly branch: string;
  readonly start: string;
  readonly isNewBranch: boolean;
}

async function addWorktree(options: AddWorktreeOptions): Promise<Place> {
  const { repository, branch, start, isNewBranch, timeoutMs, signal } = options;
  const folder = ensureTruecastFolder(repository.mainTopLevel, 'worktrees');
  const isLarge = await hasLargeIndex(repository);
  const path = await freePath(join(folder, worktreeDirectoryName(branch)));
  // Locked, so that no `git worktree prune` in a container, where this path is not seen, forgets it.
  const args = ['add', '--quiet', '--lock', '--reason', `truecast run of process ${process.pid}`];
  const target = isNewBranch ? ['-b', branch, path, start] : [path, branch];
  const result = await worktreeCommand(
    repository,
    [...args, ...(isLarge ? ['--no-checkout'] : []), ...target],
    {
      timeoutMs,
      signal,
      config: (await repository.trustedConfig()).neutralFilters,
    },
  );
  if (result.exitCode !== 0) {
    const holder = /(?:already checked out|already used by worktree) at '(.*)'/su.exec(result.stderr)?.[1];
    if (holder !== undefined) throw inUse(branch, holder);
    throw gitFailed(['worktree', 'add', branch], result, repository.topLevel);
  }
  const gitDir = await findAdminDirectory(repository.commonDir, path);
  if (gitDir === undefined) throw gitFailed(['worktree', 'add', branch], result, repository.topLevel);
  if (isLarge) await checkOut(options, { path, gitDir });
  return { path, gitDir, baseSha: start, isReused: false, wasDirty: false };
}

/** Some ten thousand files: writing them takes seconds, for which other runs must not wait. */
const LARGE_INDEX_BYTES = 1024 * 1024;

async function hasLargeIndex({ gitDir }: Repository): Promise<boolean> {
  const found = await stat(join(gitDir, 'index')).catch(() => undefined);
  return (found?.size ?? 0) > LARGE_INDEX_BYTES;
}

/** Writes the files of a worktree that git knows already, outside the lock on the list of worktrees. */
async function checkOut(
  { repository, timeoutMs, signal }: AddWorktreeOptions,
  { path, gitDir }: Pick<Place, 'path' | 'gitDir'>,
): Promise<void> {
  const args = ['reset', '--hard', '--quiet'];
  const result = await git(args, {
    timeoutMs: Math.max(timeoutMs, MIN_FILES_MS),
    signal,
    cwd: path,
    paths: worktreePaths({ path, gitDir, commonDir: repository.commonDir }),
    config: (await repository.trustedConfig()).neutralFilters,
  });
  if (result.exitCode === 0) return;
  await worktreeCommand(repository, ['remove', '--force', '--force', path], { timeoutMs });
  throw gitFailed(args, result, path);
}

/** What lies in the way was left by someone, and may hold work: the next name is taken instead. */
async function freePath(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`;
    if (!(await exists(candidate))) return candidate;
  }
}

async function forgetMissing(repository: Repository, path: string, options: GitCallOptions): Promise<void> {
  const { timeoutMs, signal } = options;
  await worktreeCommand(repository, ['remove', '--force', '--force', path], { timeoutMs, signal });
}

function inUse(branch: string, path: string): RepositoryError {
  return new RepositoryError(
    `The branch \`${branch}\` is checked out in \`${path}\`, and git allows one checkout of a branch. Check out another branch there, or name another one here.`,
    { code: 'branch-in-use' },
  );
}

function unlocking(lock: Lock, gitDir: string): Lock {
  return {
    path: lock.path,
    async release(): Promise<void> {
      // Gone with the worktree, when that was removed.
      await unlink(join(gitDir, 'locked')).catch(() => undefined);
      await lock.release();
    },
  };
}

async function isWithinReal(folder: string, path: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const real = await realpath(path).catch(() => path);
  return isPathWithin(await realpath(folder), real) || isPathWithin(folder, path);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
