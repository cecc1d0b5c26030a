/** Creation of a worktree: git lists it, and writes its files. */
import { stat, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { journaled } from '../checkout/checkout-journal.ts';
import { worktreeDirectoryName } from '../command/branch-name.ts';
import { git, gitFailed, type GitCallOptions, type GitResult } from '../command/git.ts';
import { isWorktreeRace, RACE_PAUSE_MS, RACE_TRIES } from '../command/worktree-race.ts';
import { checkoutConfig, filterFailure } from '../filters/checkout-config.ts';
import { createHeadLog } from '../recovered/head-log.ts';
import { pathsOf, type Repository } from '../repository/repository.ts';
import { ensureTruecastFolder } from '../../support/truecast-folder.ts';
import { lockReason } from '../checkout/lock-reason.ts';
import type { Place } from './reuse-worktree.ts';
import { MIN_FILES_MS, worktreeCommand, findAdminDirectory } from './worktree-list.ts';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { quoteArgument } from '../../support/shell-quote.ts';
import { isPathWithin } from '../../support/path-within.ts';
import { exists } from './status.ts';

interface AddWorktreeOptions extends GitCallOptions {
  readonly repository: Repository;
  readonly branch: string;
  readonly start: string;
  readonly isNewBranch: boolean;
  /** True if its agents only read. @default false */
  readonly isThrownAway?: boolean | undefined;
}

/**
 * Creates a worktree for a branch. A process that is killed during this leaves an entry in the
 * journal.
 */
export async function addWorktree(options: AddWorktreeOptions): Promise<Place> {
  const { repository, branch, start, isNewBranch, isThrownAway = false, timeoutMs, signal } = options;
  const folder = ensureTruecastFolder(repository.mainTopLevel, 'worktrees');
  const isLarge = await hasLargeIndex(repository);
  const path = await freePath(join(folder, worktreeDirectoryName(branch)));
  // Locked, so that a `git worktree prune` in a container without this path keeps it.
  const args = ['add', '--quiet', '--lock', '--reason', lockReason(isThrownAway)];
  const target = isNewBranch ? ['-b', branch, path, start] : [path, branch];
  const config = await checkoutConfig(options);
  const checkout = { kind: 'add', path, branch, from: start, to: start, tip: start } as const;
  // Git refuses to create a branch that exists. It must not be deleted after a kill.
  const isMissing = repository.references?.has(`refs/heads/${branch}`) === false;
  const entry = { ...checkout, isNewBranch: isNewBranch && isMissing };
  return journaled(repository.commonDir, entry, async (onSpawn) => {
    const line = [...args, ...(isLarge ? ['--no-checkout'] : []), ...target];
    const call = { timeoutMs, signal, onSpawn, config };
    const result = await addUntilWhole(() => worktreeCommand(repository, line, call), {
      ...options,
      isNewBranch: entry.isNewBranch,
    });
    if (result.exitCode !== 0) {
      const failure = filterFailure(result, repository);
      if (failure !== undefined) {
        if (isNewBranch) await deleteBranch(options);
        throw failure;
      }
      const holder = /(?:already checked out|already used by worktree) at '(.*)'/su.exec(result.stderr)?.[1];
      if (holder !== undefined) throw branchInUse(branch, holder);
      throw gitFailed(['worktree', 'add', branch], result, repository.topLevel);
    }
    const gitDir = await findAdminDirectory(repository.commonDir, path);
    if (gitDir === undefined) throw gitFailed(['worktree', 'add', branch], result, repository.topLevel);
    if (isLarge) await checkOut(options, { path, gitDir }, onSpawn);
    createHeadLog(gitDir);
    return { path, gitDir, baseSha: start, isReused: false, isNewBranch, wasDirty: false };
  });
}

/**
 * Repeats a call that another process's change of a worktree broke. Git can have created the branch before that, and
 * would refuse to create it again. The lock keeps out runs, but not a person's git.
 */
async function addUntilWhole(add: () => Promise<GitResult>, options: AddWorktreeOptions): Promise<GitResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await add();
    if (!options.isNewBranch || tries === RACE_TRIES || !isWorktreeRace([], result)) return result;
    await deleteBranch(options);
    await sleep(RACE_PAUSE_MS, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}

async function deleteBranch({ repository, branch, start, timeoutMs }: AddWorktreeOptions): Promise<void> {
  await git(['update-ref', '-d', `refs/heads/${branch}`, start], {
    timeoutMs,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
}

/** About ten thousand files. Other runs must not wait until they are written. */
const LARGE_INDEX_BYTES = 1024 * 1024;

async function hasLargeIndex({ gitDir }: Repository): Promise<boolean> {
  const found = await stat(join(gitDir, 'index')).catch(() => undefined);
  return (found?.size ?? 0) > LARGE_INDEX_BYTES;
}

/** Writes the files of a worktree that git already knows, outside the worktree list's lock. */
async function checkOut(
  options: AddWorktreeOptions,
  { path, gitDir }: Pick<Place, 'path' | 'gitDir'>,
  onSpawn: (pid: number) => void,
): Promise<void> {
  const { repository, timeoutMs, signal } = options;
  const args = ['reset', '--hard', '--quiet'];
  const result = await git(args, {
    onSpawn,
    timeoutMs: Math.max(timeoutMs, MIN_FILES_MS),
    signal,
    cwd: path,
    paths: { gitDir, commonDir: repository.commonDir, workTree: path },
    config: await checkoutConfig(options),
  });
  if (result.exitCode === 0) return;
  await worktreeCommand(repository, ['remove', '--force', '--force', path], { timeoutMs });
  const failure = filterFailure(result, repository);
  if (failure !== undefined && options.isNewBranch) await deleteBranch(options);
  throw failure ?? gitFailed(args, result, path);
}

/** Returns the error, with a command for a worktree that Sandcastle left. */
export function branchInUse(branch: string, path: string): RepositoryError {
  const isLeft = path.includes('/.sandcastle/worktrees/');
  const remedy = isLeft
    ? `Sandcastle left it there. Keep what you need, then run \`git worktree remove ${quoteArgument(path)}\`, or pass another branch.`
    : 'Check out another branch there, or pass another one here.';
  return new RepositoryError(
    `The branch \`${branch}\` is checked out in \`${path}\`, and git allows only one checkout of a branch. ${remedy}`,
    { code: 'branch-in-use' },
  );
}

/** Returns a free path: an existing folder can contain work, so the next name is used. */
export async function freePath(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`;
    if (!(await exists(candidate))) return candidate;
  }
}

/** Returns true if a path, or its target, is below a folder. Creates the folder. */
export async function isWithinReal(folder: string, path: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const real = await realpath(path).catch(() => path);
  return isPathWithin(await realpath(folder), real) || isPathWithin(folder, path);
}
