/** Copy of a checkout's index: shows whether the user staged something while an agent worked. */
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { git, type GitOptions } from '../../git/command/git.ts';
import type { GuestStore } from './guest-store.ts';

type IndexPlaces = Pick<GuestStore, 'folder' | 'gitDir'>;

/** Saves the current index. The guest cannot write the copy. */
export function saveIndex(store: IndexPlaces): void {
  const { current, copy } = pathsOf(store);
  if (existsSync(current)) copyFileSync(current, copy);
  else rmSync(copy, { force: true });
}

/**
 * Returns true if the staged entries equal those of the copy. Stat data does not count, because the
 * user's own `git status` rewrites it.
 */
export async function isIndexUnchanged(store: IndexPlaces, call: GitOptions): Promise<boolean> {
  const { current, copy } = pathsOf(store);
  if (!existsSync(current) || !existsSync(copy)) return existsSync(current) === existsSync(copy);
  if (readFileSync(current).equals(readFileSync(copy))) return true;
  const [before, now] = await Promise.all([
    listEntries({ ...call, indexFile: copy }),
    listEntries({ ...call, indexFile: current }),
  ]);
  return before !== undefined && before === now;
}

/** Undefined if the index is unreadable: a split index can have lost its shared part. */
async function listEntries(call: GitOptions): Promise<string | undefined> {
  const { stdout, exitCode } = await git(['ls-files', '--stage', '-z'], call);
  return exitCode === 0 ? stdout : undefined;
}

function pathsOf({ folder, gitDir }: IndexPlaces): { readonly current: string; readonly copy: string } {
  return { current: join(gitDir, 'index'), copy: join(folder, 'index') };
}
