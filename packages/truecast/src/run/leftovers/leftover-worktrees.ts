/**
 * Worktrees of ended runs. Clean ones can be removed. Those with uncommitted work are kept until
 * the user names them.
 */
import { readdir, rmdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { worktreeLockKey } from '../../git/command/branch-name.ts';
import { git } from '../../git/command/git.ts';
import { readLockHolder } from '../../git/command/lock.ts';
import { isPathWithin } from '../../support/path-within.ts';
import { isThere } from '../../git/command/quarantine.ts';
import { pathsOf } from '../../git/repository/repository.ts';
import { readOwner } from '../../git/checkout/lock-reason.ts';
import { readStatus } from '../../git/worktree/status.ts';
import { findProcessIn } from '../../process/process-in-folder.ts';
import { removeTree } from '../../process/temporary-folder.ts';
import { assertTruecastFolders, worktreesFolder } from '../../support/truecast-folder.ts';
import { worktreeCommand, findAdminDirectory, listWorktrees } from '../../git/worktree/worktree-list.ts';
import type { Kept, Leftover, LeftoverOptions } from './leftover.ts';

/**
 * Lists every truecast worktree folder that no live process uses.
 *
 * @throws RepositoryError `unsafe-path` if a link leads to other folders
 */
export async function findLeftoverWorktrees(options: LeftoverOptions): Promise<Leftover[]> {
  const { repository } = options;
  assertTruecastFolders(repository.mainTopLevel);
  const folder = worktreesFolder(repository.mainTopLevel);
  const names = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const onDisk = names.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
  const known = (await listWorktrees(repository, callOf(options)))
    .map(({ path }) => path)
    .filter((path) => isPathWithin(folder, path) && path !== folder);
  const found: Leftover[] = [];
  for (const path of new Set([...onDisk, ...known])) {
    const { commonDir } = repository;
    const holder = await readLockHolder({ commonDir, key: worktreeLockKey(basename(path)) });
    if (holder !== undefined) continue;
    found.push({ kind: 'worktree', name: path, ...(await whyWorktreeKept(path, options)) });
  }
  return found;
}

/**
 * Removes a worktree if it is safe to remove, and keeps its branch. Call it under the worktree's
 * lock. Returns the reason if the worktree was kept.
 */
export async function removeLeftoverWorktree(
  path: string,
  options: LeftoverOptions,
): Promise<string | undefined> {
  const kept = await whyWorktreeKept(path, options);
  if (kept !== undefined) return kept.keptBecause;
  const { repository } = options;
  if ((await findAdminDirectory(repository.commonDir, path)) === undefined) {
    await (isForced(path, options) ? removeTree(path) : rmdir(path));
    return undefined;
  }
  const { exitCode, stderr } = await worktreeCommand(
    repository,
    ['remove', '--force', '--force', path],
    callOf(options),
  );
  return exitCode === 0 ? undefined : `git could not remove it: ${stderr.trim()}`;
}

/** Returns why a worktree must stay. Undefined if it can be removed. */
export async function whyWorktreeKept(path: string, options: LeftoverOptions): Promise<Kept | undefined> {
  const pid = await findProcessIn(path);
  if (pid !== undefined) return { keptBecause: `process ${pid} is using it` };
  const { commonDir, trustedConfig, headSha: trustedCommit } = options.repository;
  const gitDir = await findAdminDirectory(commonDir, path);
  if (isForced(path, options) || (gitDir !== undefined && !(await isThere(path)))) return undefined;
  if (gitDir === undefined) {
    const isEmpty = (await readdir(path)).length === 0;
    if (isEmpty) return undefined;
    return { keptBecause: 'git does not list it as a worktree, and it is not empty; check its files' };
  }
  const locked = join(gitDir, 'locked');
  if ((await isThere(locked)) && !readOwner(gitDir).isOfRun) {
    return { keptBecause: 'it is locked (`git worktree unlock`)' };
  }
  const paths = { gitDir, commonDir, workTree: path };
  try {
    const status = await readStatus({ paths, trustedCommit, trustedConfig }, callOf(options));
    const dirty = status.dirtyPaths.slice(0, 3).join(', ');
    if (status.isDirty) return { keptBecause: `it contains uncommitted work: ${dirty}`, hasWork: true };
    const isHeld = status.branch !== undefined || (await isOnABranch(status.headSha, options));
    return isHeld ? undefined : { keptBecause: 'it contains commits that are on no branch' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { keptBecause: `it cannot be inspected: ${reason}` };
  }
}

async function isOnABranch(sha: string | undefined, options: LeftoverOptions): Promise<boolean> {
  if (sha === undefined) return true;
  const { repository } = options;
  const { stdout, exitCode } = await git(['for-each-ref', '--count=1', `--contains=${sha}`, 'refs/'], {
    ...callOf(options),
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
  return exitCode === 0 && stdout.trim() !== '';
}

function isForced(path: string, { forcedDirty }: LeftoverOptions): boolean {
  return forcedDirty.some((forced) => resolve(forced) === path);
}

function callOf({ gitTimeoutMs }: LeftoverOptions): { readonly timeoutMs: number } {
  return { timeoutMs: gitTimeoutMs };
}
