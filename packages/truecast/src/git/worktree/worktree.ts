/** An agent's working folder: the caller's checkout, or a separate worktree on a branch. */
import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import {
  assertBranchName,
  branchLockKey,
  isTemporaryBranch,
  temporaryBranchName,
  worktreeDirectoryName,
} from '../command/branch-name.ts';
import { resolveTips } from '../repository/branch-tips.ts';
import type { BranchStrategy } from '../command/branch-strategy.ts';
import type { WorktreePreparation } from '../command/worktree-preparation.ts';
import type { GitCallOptions, GitPaths } from '../command/git.ts';
import { acquireLock, type Lock } from '../command/lock.ts';
import { ensureOwnFiles } from '../repository/own-files.ts';
import type { Repository } from '../repository/repository.ts';
import { markStart, type StartMarks } from '../recovered/start-marks.ts';
import { addWorktree, branchInUse, isWithinReal } from './add-worktree.ts';
import { endLeftAgents } from '../command/left-agents.ts';
import { reuseWorktree, upToDate, type Place } from './reuse-worktree.ts';
import { ensureTruecastFolder } from '../../support/truecast-folder.ts';
import { worktreeCommand, findAdminDirectory, hasLinkedWorktrees, listWorktrees } from './worktree-list.ts';
import { removeReferenceLocks, removeStaleLocks } from '../checkout/stale-locks.ts';
import { exists } from './status.ts';

/** Working folder of an agent. Holds its lock until `lock.release()`. */
export interface LockedWorktree {
  /** Host path of the files. */
  readonly path: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** Undefined only with `head` on a detached HEAD. */
  readonly branch: string | undefined;
  /** HEAD before the agent. */
  readonly baseSha: string;
  /** HEAD when this execution opened the worktree. Absent for the first one, where it is `baseSha`. */
  readonly foundAt?: string | undefined;
  /** True if it existed before. It is then never removed. */
  readonly isReused: boolean;
  /** True if its branch was created for it. */
  readonly isNewBranch: boolean;
  /** True if it existed before and contained uncommitted work. */
  readonly wasDirty: boolean;
  /** State before the agent, to find its work outside of the branch. */
  readonly marks: StartMarks;
  readonly strategy: BranchStrategy;
  /** The caller's checkout, in its state at the start. */
  readonly repository: Repository;
  readonly lock: Lock;
  /** Undefined for the caller's own checkout. */
  readonly preparation?: WorktreePreparation;
}

export interface LockWorktreeOptions extends GitCallOptions {
  readonly repository: Repository;
  readonly branchStrategy: BranchStrategy;
  /** The run's name. Included in a temporary branch's name. */
  readonly name?: string | undefined;
  /** Command of this run, for the error message of a second run on the same branch. */
  readonly command: string;
  readonly now: Date;
  /** True if its agents only read: the next run removes it after a kill. @default false */
  readonly isThrownAway?: boolean | undefined;
  readonly onWarning: (message: string) => void;
}

/** Returns the directories of a worktree for git calls. */
export function worktreePaths({
  path,
  gitDir,
  commonDir,
}: Pick<LockedWorktree, 'path' | 'gitDir' | 'commonDir'>): GitPaths {
  return { gitDir, commonDir, workTree: path };
}

/**
 * Locks the agent's working folder, and creates it if it does not exist.
 *
 * @throws RepositoryError `locked`, `invalid-branch`, `branch-in-use`, `git-failed`, `timeout`
 */
export async function lockWorktree(options: LockWorktreeOptions): Promise<LockedWorktree> {
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
    if (await endLeftAgents(lock)) {
      options.onWarning('An agent of a killed run still worked here without a sandbox. It was stopped.');
    }
    if (branchStrategy.type === 'head' || branch === undefined) {
      return headWorktree(repository, branchStrategy, lock);
    }
    const place =
      branchStrategy.branch === undefined
        ? await addWorktree({ ...options, branch, start: repository.headSha, isNewBranch: true })
        : await placeNamed({
            ...options,
            branch,
            baseBranch: branchStrategy.type === 'branch' ? branchStrategy.baseBranch : undefined,
          });
    await ensureOwnFiles(place, options).catch(async (error: unknown) => {
      if (!place.isReused) await forgetMissing(repository, place.path, options);
      throw error;
    });
    return {
      ...place,
      // A temporary branch and its worktree are ours, also if an earlier run left them.
      ...(branchStrategy.type === 'merge-to-head' && { isReused: false }),
      branch,
      marks: markStart({
        gitDir: place.gitDir,
        commonDir: repository.commonDir,
        hostBranch: repository.branch,
      }),
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

function branchOf({ repository, branchStrategy, name, now }: LockWorktreeOptions): string | undefined {
  switch (branchStrategy.type) {
    case 'head':
      return repository.branch;
    case 'merge-to-head':
      if (branchStrategy.branch !== undefined) return temporaryBranch(branchStrategy.branch);
      return temporaryBranchName({
        name,
        now,
        random: randomBytes(3),
        prefix: branchStrategy.branchPrefix,
      });
    case 'branch':
      assertBranchName(branchStrategy.branch);
      return branchStrategy.branch;
    default:
      return branchStrategy satisfies never;
  }
}

/** A branch of another kind would be deleted after its merge. */
function temporaryBranch(branch: string): string {
  assertBranchName(branch);
  if (isTemporaryBranch(branch)) return branch;
  throw new RepositoryError(
    `Expected \`branch\` of \`merge-to-head\` to be a temporary branch of an earlier run, got \`${cut(branch)}\`. Use \`{ type: 'branch', branch }\`, and \`merge()\` afterwards.`,
    { code: 'invalid-branch', branch },
  );
}

function headWorktree(repository: Repository, strategy: BranchStrategy, lock: Lock): LockedWorktree {
  return {
    path: repository.topLevel,
    gitDir: repository.gitDir,
    commonDir: repository.commonDir,
    branch: repository.branch,
    baseSha: repository.headSha,
    isReused: true,
    isNewBranch: false,
    wasDirty: false,
    marks: markStart({ ...repository, hostBranch: repository.branch }),
    strategy,
    repository,
    lock,
  };
}

/** @throws RepositoryError `locked` */
function assertFree(lock: string | undefined): void {
  if (lock === undefined) return;
  throw new RepositoryError(
    `Git cannot work on this branch, because \`${lock}\` exists. If no git works in the repository, delete it.`,
    { code: 'locked' },
  );
}

interface PlaceNamedOptions extends LockWorktreeOptions {
  readonly branch: string;
  readonly baseBranch: string | undefined;
}

async function placeNamed(options: PlaceNamedOptions): Promise<Place> {
  const { repository, branch } = options;
  const shared = { path: repository.mainTopLevel, commonDir: repository.commonDir };
  // Of a git that was killed while it made the branch.
  assertFree(await removeReferenceLocks([`refs/heads/${branch}`], shared));
  const isAlone = !(await hasLinkedWorktrees(repository.commonDir));
  const added = isAlone ? await addAsNew(options) : undefined;
  if (added !== undefined) return added;
  const [worktrees, tips] = await Promise.all([
    // For a branch of the caller's own checkout, git itself fails.
    isAlone ? [] : listWorktrees(repository, options),
    resolveTips(options),
  ]);
  const folder = ensureTruecastFolder(repository.mainTopLevel, 'worktrees');
  const path = join(folder, worktreeDirectoryName(branch));
  const existing =
    worktrees.find((entry) => entry.branch === branch) ?? worktrees.find((entry) => entry.path === path);
  if (existing !== undefined) {
    if (!(await isWithinReal(folder, existing.path))) throw branchInUse(branch, existing.path);
    const gitDir = await findAdminDirectory(repository.commonDir, existing.path);
    if (gitDir !== undefined && (await exists(existing.path))) {
      // With a lock, the first commit of the agent would fail.
      assertFree(await removeStaleLocks({ path: existing.path, gitDir, commonDir: repository.commonDir }));
      return reuseWorktree({ ...options, path: existing.path, gitDir });
    }
    await forgetMissing(repository, existing.path, options);
  }
  if (tips.branch !== undefined) {
    const added = await addWorktree({ ...options, start: tips.branch, isNewBranch: false });
    return tips.remote === undefined ? added : upToDate(options, added);
  }
  const start = tips.base ?? tips.remote ?? repository.headSha;
  return addWorktree({ ...options, start, isNewBranch: true });
}

/**
 * Adds the worktree without further checks if it is probably new and starts at HEAD. Otherwise
 * returns undefined.
 */
async function addAsNew(options: PlaceNamedOptions): Promise<Place | undefined> {
  const { repository, branch, baseBranch } = options;
  if (baseBranch !== undefined || (await repository.trustedConfig()).hasOrigin) return undefined;
  if (await exists(join(repository.commonDir, 'refs', 'heads', branch))) return undefined;
  try {
    return await addWorktree({ ...options, start: repository.headSha, isNewBranch: true });
  } catch (error) {
    // The branch can exist without its own file: packed, or in a reftable.
    const isThere =
      RepositoryError.isInstance(error) && /branch named .* already exists/su.test(error.stderrTail ?? '');
    if (isThere) return undefined;
    throw error;
  }
}

async function forgetMissing(repository: Repository, path: string, options: GitCallOptions): Promise<void> {
  const { timeoutMs, signal } = options;
  await worktreeCommand(repository, ['remove', '--force', '--force', path], { timeoutMs, signal });
}

function unlocking(lock: Lock, gitDir: string): Lock {
  return {
    path: lock.path,
    async release(): Promise<void> {
      // Already removed together with the worktree.
      await unlink(join(gitDir, 'locked')).catch(() => undefined);
      await lock.release();
    },
  };
}
