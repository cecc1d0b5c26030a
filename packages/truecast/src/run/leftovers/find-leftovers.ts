/** Leftovers of ended runs: finds and removes them without touching resources of live processes. */
import { rm, lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { listUnfinished } from '../../git/checkout/checkout-journal.ts';
import { branchLockKey, worktreeLockKey } from '../../git/command/branch-name.ts';
import { acquireLock, listLocks, removeDeadLock, type LockOptions } from '../../git/command/lock.ts';
import { recoverCheckouts } from '../../git/worktree/recover-checkouts.ts';
import { findDeadTemporaryFolders, isOfDeadProcess, removeTree } from '../../process/temporary-folder.ts';
import { findLeftoverBranches, removeLeftoverBranch } from './leftover-branches.ts';
import { findLeftoverStores, removeLeftoverStore } from './leftover-stores.ts';
import { findLeftoverWorktrees, removeLeftoverWorktree } from './leftover-worktrees.ts';
import type { Leftover, LeftoverOptions } from './leftover.ts';
import { repositoryStateFolder } from '@truecast/host/internal/state-folder';
import { isKeptRunId } from '../record/kept-run.ts';
import { readOpenRun } from '../record/read-kept-runs.ts';

/**
 * Lists leftovers of ended runs in removal order. Leftovers that must stay include a reason.
 * Changes nothing.
 */
export async function findLeftovers(options: LeftoverOptions): Promise<Leftover[]> {
  const unfinished = [...new Set(listUnfinished(options.repository.commonDir).map(({ path }) => path))];
  const worktrees = (await findLeftoverWorktrees(options)).filter(({ name }) => !unfinished.includes(name));
  const going = new Set(
    worktrees.filter(({ keptBecause }) => keptBecause === undefined).map(({ name }) => name),
  );
  const [branches, locks, logs, folders, containers] = await Promise.all([
    findLeftoverBranches(options, going),
    listLocks(options.repository.commonDir),
    findLeftoverLogs(options),
    findDeadTemporaryFolders(options.repository.commonDir),
    Promise.all(options.containers.map((engine) => engine.list())),
  ]);
  return [
    ...containers.flat().map((name) => ({ kind: 'container' as const, name })),
    ...unfinished.map((name) => ({ kind: 'unfinished-checkout' as const, name })),
    ...worktrees,
    ...branches,
    ...findLeftoverStores(options),
    ...locks
      .filter(({ holder }) => holder === undefined)
      .map(({ path }) => ({ kind: 'lock' as const, name: path })),
    ...logs,
    ...folders.map((name) => ({ kind: 'temporary-folder' as const, name })),
  ];
}

/**
 * Removes leftovers that are safe to remove. Each one is checked again under its lock, because a
 * run can have started to use it.
 *
 * @returns the leftovers after the removal: those with `keptBecause` still exist
 */
export async function removeLeftovers(
  leftovers: readonly Leftover[],
  options: LeftoverOptions,
): Promise<Leftover[]> {
  const results: Leftover[] = [];
  for (const leftover of leftovers) {
    const keptBecause = leftover.keptBecause ?? (await removeOne(leftover, options));
    results.push({ ...leftover, ...(keptBecause !== undefined && { keptBecause }) });
  }
  return results;
}

async function removeOne(leftover: Leftover, options: LeftoverOptions): Promise<string | undefined> {
  try {
    return await removeByKind(leftover, options);
  } catch (error) {
    if (RepositoryError.isInstance(error) && error.code === 'locked') return 'a run is using it now';
    return error instanceof Error ? error.message : String(error);
  }
}

async function removeByKind({ kind, name }: Leftover, options: LeftoverOptions): Promise<string | undefined> {
  switch (kind) {
    case 'worktree':
      return underLock(worktreeLockKey(basename(name)), options, () => removeLeftoverWorktree(name, options));
    case 'branch':
      return underLock(branchLockKey(name), options, () => removeLeftoverBranch(name, options));
    case 'git-store':
      return removeLeftoverStore(name, options);
    case 'unfinished-checkout':
      return restoreCheckout(name, options);
    case 'lock':
      return (await removeDeadLock(name, lockOptions(options))) ? undefined : 'a run is using it now';
    case 'log':
    case 'run':
      await rm(name, { recursive: true, force: true });
      return undefined;
    case 'temporary-folder':
      if (await isOfDeadProcess(name, options.repository.commonDir)) await removeTree(name);
      return undefined;
    case 'container':
      return removeContainer(name, options);
    default:
      return kind satisfies never;
  }
}

/** Restores a checkout that a killed run has left half written. */
async function restoreCheckout(path: string, options: LeftoverOptions): Promise<string | undefined> {
  const { repository, gitTimeoutMs, onWarning } = options;
  await recoverCheckouts({ repository, timeoutMs: gitTimeoutMs, onWarning });
  const isLeft = listUnfinished(repository.commonDir).some((entry) => entry.path === path);
  return isLeft ? 'it could not be restored' : undefined;
}

async function removeContainer(id: string, { containers }: LeftoverOptions): Promise<string | undefined> {
  for (const engine of containers) {
    if (!(await engine.list()).includes(id)) continue;
    await engine.remove(id);
    return undefined;
  }
  return undefined;
}

async function underLock<TResult>(
  key: string,
  options: LeftoverOptions,
  work: () => Promise<TResult>,
): Promise<TResult> {
  const lock = await acquireLock({ ...lockOptions(options), key });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

function lockOptions({ repository }: LeftoverOptions): Omit<LockOptions, 'key'> {
  return {
    commonDir: repository.commonDir,
    subject: 'The leftover of a run',
    command: 'truecast clean',
    now: new Date(),
  };
}

/**
 * Lists logs, evidence and kept runs last written before the age limit. Without a limit, the list is
 * empty.
 */
async function findLeftoverLogs({ repository, logsOlderThanMs }: LeftoverOptions): Promise<Leftover[]> {
  if (logsOlderThanMs === undefined) return [];
  const folder = repositoryStateFolder(repository.commonDir);
  const before = Math.min(Date.now() - logsOlderThanMs, await earliestRun(repository.commonDir));
  const found: Leftover[] = [];
  for (const path of await listFolder(join(folder, 'logs'))) {
    if (!/\.(?:log|json)$/u.test(path)) continue;
    const file = await lstat(path).catch(() => undefined);
    if (file?.isFile() === true && file.mtimeMs < before) found.push({ kind: 'log', name: path });
  }
  for (const path of await listFolder(join(folder, 'runs'))) {
    if (!isKeptRunId(basename(path))) continue;
    const run = await lstat(path).catch(() => undefined);
    if (run?.isDirectory() !== true || run.mtimeMs >= before) continue;
    if ((await readOpenRun(folder, basename(path)))?.isLive !== true) found.push({ kind: 'run', name: path });
  }
  return found;
}

async function listFolder(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.toSorted().map((name) => join(folder, name));
}

/**
 * Returns the start of the earliest live run. Its log can still be open, so newer files stay
 * whatever the age limit.
 */
async function earliestRun(commonDir: string): Promise<number> {
  const starts = (await listLocks(commonDir)).map(({ holder }) =>
    holder === undefined ? Number.POSITIVE_INFINITY : Date.parse(holder.startedAt),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...starts);
}
