/** Lock files that a killed git left in a repository: they would make each later git fail there. */
import { existsSync, lstatSync, rmSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findGitIn } from '../../process/process-in-folder.ts';
import { readRegularFile } from '../../support/open-regular-file.ts';

/** Git holds the lock of a reference for milliseconds. */
const MIN_AGE_MS = 1_000;
/** A path of Linux has at most this many. */
const MAX_HEAD_BYTES = 4_096;

/** A checkout whose lock this process holds. */
export interface LockedPlace {
  readonly path: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/**
 * Removes the locks of the index, of HEAD and of the checked-out branch. Returns the path of one that
 * must stay, because a git works in the checkout, or because the system does not list its processes.
 */
export async function removeStaleLocks({
  path,
  gitDir,
  commonDir,
}: LockedPlace): Promise<string | undefined> {
  const names = [join(gitDir, 'index.lock'), join(gitDir, 'HEAD.lock')];
  const branch = await branchOf(gitDir);
  if (branch !== undefined) names.push(branchLock(commonDir, branch));
  return removeLocks(names, path);
}

/** Removes the lock of a branch that is checked out nowhere. `path` is the main checkout, where its git works. */
export async function removeBranchLock(
  branch: string,
  { path, commonDir }: Pick<LockedPlace, 'path' | 'commonDir'>,
): Promise<string | undefined> {
  return removeLocks([branchLock(commonDir, branch)], path);
}

function branchLock(commonDir: string, branch: string): string {
  return join(commonDir, 'refs', 'heads', `${branch}.lock`);
}

/** A guest can write the file, so a name that leads out of the branches is ignored. */
async function branchOf(gitDir: string): Promise<string | undefined> {
  const head = await readRegularFile({ root: gitDir, path: 'HEAD', maxBytes: MAX_HEAD_BYTES }).catch(
    () => '',
  );
  const branch = /^ref: refs\/heads\/(?<branch>[^\n]+)\n?$/u.exec(String(head))?.groups?.['branch'];
  return branch?.split('/').some((part) => part === '' || part === '.' || part === '..') === false
    ? branch
    : undefined;
}

async function removeLocks(names: readonly string[], path: string): Promise<string | undefined> {
  for (const lock of names) {
    const before = lstatSync(lock, { throwIfNoEntry: false });
    if (before === undefined) continue;
    if (!before.isFile() || !existsSync('/proc/self/cwd')) return lock;
    const ageMs = Date.now() - before.mtimeMs;
    if (ageMs < MIN_AGE_MS) await sleep(MIN_AGE_MS - Math.max(0, ageMs));
    if ((await findGitIn(path)) !== undefined) return lock;
    // Not that of a git that has started since.
    if (isSame(before, lstatSync(lock, { throwIfNoEntry: false }))) rmSync(lock, { force: true });
  }
  return undefined;
}

/** A file system gives the number of a removed file to the next one. */
function isSame(before: Stats, now: Stats | undefined): boolean {
  return now?.ino === before.ino && now.mtimeMs === before.mtimeMs && now.ctimeMs === before.ctimeMs;
}
