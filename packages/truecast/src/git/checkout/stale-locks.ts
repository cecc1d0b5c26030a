/** Lock files that a killed git left in a repository: they would make each later git fail there. */
import { existsSync, lstatSync, rmSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findGitIn } from '../../process/process-in-folder.ts';
import { readRegularFile } from '../../support/open-regular-file.ts';
import { listAdminDirectories } from './admin-directories.ts';

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

/** A repository, by its main checkout. */
type SharedPlace = Pick<LockedPlace, 'path' | 'commonDir'>;

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
  if (branch !== undefined) names.push(referenceLock(commonDir, `refs/heads/${branch}`));
  return removeLocks(names, [path]);
}

/**
 * Removes the locks of references that are checked out nowhere. `path` is the main checkout. Returns the
 * path of one that must stay.
 */
export async function removeReferenceLocks(
  references: readonly string[],
  shared: SharedPlace,
): Promise<string | undefined> {
  const names = references.map((name) => referenceLock(shared.commonDir, name));
  return names.some((name) => existsSync(name)) ? removeLocks(names, await foldersOf(shared)) : undefined;
}

/** Removes the lock of the packed references, without which git deletes no branch. */
export async function removePackedLock(shared: SharedPlace): Promise<void> {
  const lock = join(shared.commonDir, 'packed-refs.lock');
  const found = lstatSync(lock, { throwIfNoEntry: false });
  // Another run that deletes its branch holds it for milliseconds, and must not delay this one.
  if (found === undefined || Date.now() - found.mtimeMs < MIN_AGE_MS) return;
  await removeLocks([lock], await foldersOf(shared));
}

/** Folders in which a git can hold a lock that all checkouts share. */
async function foldersOf({ path, commonDir }: SharedPlace): Promise<readonly string[]> {
  const linked = await listAdminDirectories(commonDir);
  return [path, commonDir, ...linked.map(({ gitFile }) => dirname(gitFile))];
}

function referenceLock(commonDir: string, name: string): string {
  return join(commonDir, `${name}.lock`);
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

/** A git in one of the folders can hold them. */
async function removeLocks(
  names: readonly string[],
  folders: readonly string[],
): Promise<string | undefined> {
  for (const lock of names) {
    const before = lstatSync(lock, { throwIfNoEntry: false });
    if (before === undefined) continue;
    if (!before.isFile() || !existsSync('/proc/self/cwd')) return lock;
    const ageMs = Date.now() - before.mtimeMs;
    if (ageMs < MIN_AGE_MS) await sleep(MIN_AGE_MS - Math.max(0, ageMs));
    const isHeld = (await findGitIn(folders, before.mtimeMs)) !== undefined;
    // Not that of a git that has started since, or has ended.
    if (!isSame(before, lstatSync(lock, { throwIfNoEntry: false }))) continue;
    if (isHeld) return lock;
    rmSync(lock, { force: true });
  }
  return undefined;
}

/** A file system gives the number of a removed file to the next one. */
function isSame(before: Stats, now: Stats | undefined): boolean {
  return now?.ino === before.ino && now.mtimeMs === before.mtimeMs && now.ctimeMs === before.ctimeMs;
}
