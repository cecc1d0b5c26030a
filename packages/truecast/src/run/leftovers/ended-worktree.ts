/**
 * Worktree of a run that has ended: what it has, and its removal. The folder is moved out of its place first, so
 * a kill leaves no half of a worktree that looks like changed work.
 */
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { branchLockKey } from '../../git/command/branch-name.ts';
import { gitFailed } from '../../git/command/git.ts';
import { acquireLock, type Lock } from '../../git/command/lock.ts';
import { isUnfinished } from '../../git/worktree/other-work.ts';
import type { Repository } from '../../git/repository/repository.ts';
import { patchOfWorktree } from '../../git/worktree/whole-patch.ts';
import { findAdminDirectory, listWorktrees, worktreeCommand } from '../../git/worktree/worktree-list.ts';
import { listStores } from '../../guest-git/guest-git.ts';
import { removeTree } from '../../process/temporary-folder.ts';
import { isPathWithin } from '../../support/path-within.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { worktreesFolder } from '../../support/truecast-folder.ts';
import { whyWorktreeKept } from './leftover-worktrees.ts';
import { executionLock } from '../executions/open-execution.ts';

/** A run of which this machine has something. */
export interface EndedRunPlace {
  readonly id: string;
  /** Branches on which its agents worked. */
  readonly branches: readonly string[];
  /** Worktree of its record. */
  readonly worktreePath?: string | undefined;
}

/** `stored`: the patch has all uncommitted work. `unstored`: it can be the only place of work. */
export type EndedWorktreeState = 'clean' | 'stored' | 'unstored';

export interface EndedWorktreeOptions {
  readonly repository: Repository;
  readonly gitTimeoutMs: number;
  /** Largest patch that can be stored. */
  readonly maxPatchBytes: number;
  /** Reads the stored patch of the uncommitted work. Called only for a worktree with some. */
  readPatch(): Promise<Uint8Array | undefined>;
}

const MAX_HEAD_BYTES = 4096;
/** A nested repository or a submodule. A patch has only the id of its commit. */
const NESTED = 'Subproject commit ';

/**
 * Locks a run and its branches, so that no other one works on them.
 *
 * @throws RepositoryError `locked` at once
 */
export async function lockEndedRun(
  { commonDir }: Pick<Repository, 'commonDir'>,
  { id, branches }: EndedRunPlace,
): Promise<Lock> {
  const command = 'remove the rest of an ended run';
  const locks: Lock[] = [];
  const release = async (): Promise<void> => {
    for (const lock of locks) await lock.release();
  };
  try {
    locks.push(await acquireLock({ ...executionLock(id), commonDir, command, now: new Date() }));
    for (const key of new Set(branches.map(branchLockKey))) {
      const subject = 'The branch of an ended run';
      locks.push(await acquireLock({ commonDir, key, subject, command, now: new Date() }));
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { path: locks[0]?.path ?? '', release };
}

/** Lists the worktrees of a run in the folder that only Truecast fills. */
export async function listEndedWorktrees(
  { branches, worktreePath }: EndedRunPlace,
  { repository, gitTimeoutMs: timeoutMs }: Pick<EndedWorktreeOptions, 'repository' | 'gitTimeoutMs'>,
): Promise<readonly string[]> {
  const folder = worktreesFolder(repository.mainTopLevel);
  // Its start is a program, and most runs have left no worktree.
  const known = existsSync(folder) ? await listWorktrees(repository, { timeoutMs }) : [];
  return known
    .filter(
      ({ path, branch }) => path === worktreePath || (branch !== undefined && branches.includes(branch)),
    )
    .map(({ path }) => path)
    .filter((path) => isPathWithin(folder, path) && path !== folder);
}

/** Reads the state of a worktree. Call it under `lockEndedRun()`. */
export async function readEndedWorktree(
  path: string,
  { repository, gitTimeoutMs: timeoutMs, maxPatchBytes: maxBytes, readPatch }: EndedWorktreeOptions,
): Promise<EndedWorktreeState> {
  const { commonDir } = repository;
  const gitDir = await findAdminDirectory(commonDir, path);
  if (gitDir === undefined || isUnfinished(gitDir) || existsSync(join(gitDir, 'modules'))) return 'unstored';
  // Its guest can have commits that the host has not received.
  if (listStores(commonDir).some(({ worktreePath }) => worktreePath === path)) return 'unstored';
  const options = { repository, gitTimeoutMs: timeoutMs, forcedDirty: [], containers: [], onWarning };
  const kept = await whyWorktreeKept(path, options);
  if (kept === undefined) return 'clean';
  if (kept.hasWork !== true || !isOnBranch(gitDir)) return 'unstored';
  const stored = await readPatch();
  if (stored === undefined) return 'unstored';
  const patch = await patchOfWorktree(path, repository, { timeoutMs, maxBytes });
  // One whose secrets were masked differs too.
  if (patch === undefined || patch.length === 0 || !patch.equals(stored)) return 'unstored';
  return patch.includes(NESTED) ? 'unstored' : 'stored';
}

const onWarning = (): void => undefined;

function isOnBranch(gitDir: string): boolean {
  const head = readRegularFileSync(join(gitDir, 'HEAD'), { maxBytes: MAX_HEAD_BYTES });
  return head?.toString('utf8').startsWith('ref: refs/heads/') === true;
}

/**
 * Removes a worktree with all files in it. Call it under the lock under which its state was read.
 *
 * @throws RepositoryError if git does not remove its entry
 */
export async function removeEndedWorktree(
  path: string,
  { repository, gitTimeoutMs: timeoutMs }: Pick<EndedWorktreeOptions, 'repository' | 'gitTimeoutMs'>,
): Promise<void> {
  const folder = removedFolder(repository);
  mkdirSync(folder, { recursive: true });
  const moved = join(folder, `${basename(path)}-${process.pid}-${Date.now()}`);
  try {
    renameSync(path, moved);
  } catch {
    // It is gone, or the folder is on another disk. Git removes it in its place.
  }
  const args = ['remove', '--force', '--force', path];
  const result = await worktreeCommand(repository, args, { timeoutMs });
  if (result.exitCode !== 0) throw gitFailed(['worktree', ...args], result, repository.topLevel);
  await removeTree(moved);
}

/** Removes the folders of removals that a kill has stopped. */
export async function removeMovedWorktrees(repository: Pick<Repository, 'commonDir'>): Promise<void> {
  const folder = removedFolder(repository);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) await removeTree(join(folder, name));
}

function removedFolder({ commonDir }: Pick<Repository, 'commonDir'>): string {
  return join(commonDir, 'truecast', 'removed');
}
