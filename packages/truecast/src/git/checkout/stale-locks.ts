/** Lock files that a killed git left in a checkout: they would make each later git fail there. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findGitIn } from '../../process/process-in-folder.ts';

/** Git holds the lock of a reference for milliseconds. */
const MIN_AGE_MS = 1_000;

/** A checkout whose lock this process holds. */
export interface LockedPlace {
  readonly path: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** @default none: the lock of no branch is removed */
  readonly branch?: string | undefined;
}

/**
 * Removes the locks of the index, of HEAD and of the branch. Returns the path of one that must stay,
 * because a git works in the checkout, or because the system does not list its processes.
 */
export async function removeStaleLocks({
  path,
  gitDir,
  commonDir,
  branch,
}: LockedPlace): Promise<string | undefined> {
  const names = [join(gitDir, 'index.lock'), join(gitDir, 'HEAD.lock')];
  if (branch !== undefined) names.push(join(commonDir, 'refs', 'heads', `${branch}.lock`));
  for (const lock of names.filter((name) => existsSync(name))) {
    if (!existsSync('/proc/self/cwd') || (await findGitIn(path)) !== undefined) return lock;
    if (await isOld(lock)) rmSync(lock, { force: true });
  }
  return undefined;
}

/** Waits until the file is gone or old. False for another file than before. */
async function isOld(lock: string): Promise<boolean> {
  const before = statSync(lock, { throwIfNoEntry: false });
  if (before === undefined) return false;
  const ageMs = Date.now() - before.mtimeMs;
  if (ageMs < MIN_AGE_MS) await sleep(MIN_AGE_MS - Math.max(0, ageMs));
  return statSync(lock, { throwIfNoEntry: false })?.ino === before.ino;
}
