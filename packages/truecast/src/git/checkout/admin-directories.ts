/** Administrative directories of linked worktrees, as git's side names them. */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';

/** Maximum size of a file that contains one path. */
const MAX_LINK_BYTES = 64 * 1024;

/** A linked worktree's administrative directory, and its checkout. */
export interface AdminDirectory {
  readonly gitDir: string;
  /** Path of the checkout's `.git` file, existing or not. */
  readonly gitFile: string;
}

/**
 * Lists the administrative directories of all linked worktrees, from git's side. Reads no file of a
 * worktree.
 */
export async function listAdminDirectories(commonDir: string): Promise<AdminDirectory[]> {
  const root = join(commonDir, 'worktrees');
  const names = await readdir(root).catch(() => []);
  const found = names.map((name) => {
    const gitDir = join(root, name);
    const text = readRegularFileSync(join(gitDir, 'gitdir'), { maxBytes: MAX_LINK_BYTES })?.toString('utf8');
    return text === undefined ? undefined : { gitDir, gitFile: resolve(gitDir, text.replace(/\n$/u, '')) };
  });
  return found.filter((entry) => entry !== undefined);
}
