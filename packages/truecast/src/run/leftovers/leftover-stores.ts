/**
 * Guests' git stores of ended runs. A store whose setup was killed is empty. Others can hold
 * commits that the host has not received, so they are kept until the user names them.
 */
import { resolve } from 'node:path';
import { isSurelyDead } from '../../process/process-identity.ts';
import { listIncompleteStores, listStores } from '../../guest-git/guest-git.ts';
import { readStore, type GuestStore } from '../../guest-git/store/guest-store.ts';
import { lockOfStore } from '../places/recover-guests.ts';
import { removeTree } from '../../process/temporary-folder.ts';
import type { Kept, Leftover, LeftoverOptions } from './leftover.ts';

/** Lists the stores that no live run uses. */
export function findLeftoverStores(options: LeftoverOptions): Leftover[] {
  const { commonDir } = options.repository;
  const empty = listIncompleteStores(commonDir).map((name) => ({ kind: 'git-store' as const, name }));
  const complete = listStores(commonDir)
    .filter(isLeft)
    .map((store) => ({ kind: 'git-store' as const, name: store.folder, ...whyKept(store, options) }));
  return [...empty, ...complete];
}

/** Removes a store. Returns the reason if it must stay. */
export async function removeLeftoverStore(
  folder: string,
  options: LeftoverOptions,
): Promise<string | undefined> {
  const store = readStore(folder);
  if (store === undefined) {
    if (listIncompleteStores(options.repository.commonDir).includes(folder)) await removeTree(folder);
    return undefined;
  }
  const lock = await lockOfStore(store);
  if (lock === undefined) return 'a run is using it now';
  try {
    // The store is read again: a run can have taken it over before this lock was acquired.
    const current = readStore(folder);
    const kept = current === undefined ? undefined : whyKept(current, options);
    if (kept === undefined) await removeTree(folder);
    return kept?.keptBecause;
  } finally {
    await lock.release();
  }
}

function isLeft({ isAbandoned, isKeptForUser, isUnfinished, owner }: GuestStore): boolean {
  return isAbandoned || isKeptForUser || isUnfinished || isSurelyDead(owner);
}

function whyKept(store: GuestStore, { forcedDirty }: LeftoverOptions): Kept | undefined {
  if (!isLeft(store)) return { keptBecause: 'a run is using it now' };
  if (forcedDirty.some((path) => resolve(path) === store.folder)) return undefined;
  const branch = store.branch?.replace('refs/heads/', '') ?? 'a detached HEAD';
  const withWork = (keptBecause: string): Kept => ({ keptBecause, hasWork: true });
  if (store.isKeptForUser) {
    return withWork(`it might contain rejected work on ${branch}; do not run git in it`);
  }
  if (store.isUnfinished) {
    return withWork(`it might contain work: an unfinished merge or rebase on ${branch}`);
  }
  return withWork(
    `it might contain work of an ended run on ${branch}; the next run in a sandbox recovers it`,
  );
}
