/** PATH for git on the host, without folders in which a guest could place a program. */
import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isPathWithin } from '../../support/path-within.ts';

/**
 * Returns `searchPath` without relative folders and without those below the repository, such as
 * `node_modules/.bin`.
 *
 * Git starts filters in the worktree, so a relative folder would belong to the guest.
 */
export function searchPathOutside(searchPath: string, folders: readonly string[]): string {
  const roots = folders.map(checkoutOf);
  const isOutside = (folder: string): boolean =>
    isAbsolute(folder) && !roots.some((root) => folder === root || isPathWithin(root, folder));
  return searchPath.split(delimiter).filter(isOutside).join(delimiter);
}

/** Returns the checkout that contains a folder, or the folder itself if there is none. */
function checkoutOf(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, '.git'))) return current;
    if (dirname(current) === current) return folder;
  }
}
