/**
 * Worktree links: the three files that connect a linked worktree to its repository. A guest must
 * not redirect them to another repository.
 */
import { readdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { GitCallOptions } from '../command/git.ts';
import { isHarmlessConfig } from '../command/harmless-config.ts';
import { isPathWithin } from '../../support/path-within.ts';
import { isThere, quarantine, QUARANTINE_SUFFIX, restore, type GuestChange } from '../command/quarantine.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';

/** Maximum size of a file that contains one path. */
const MAX_LINK_BYTES = 64 * 1024;

/** Directories of a linked worktree, as known to the host. */
export interface WorktreeLinks {
  readonly path: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/**
 * Restores a linked worktree's manipulated links, and renames other files that can run code there.
 *
 * Does not use git on the worktree, because its repository is not verified yet.
 */
export async function repairLinks(links: WorktreeLinks, options: GitCallOptions): Promise<GuestChange[]> {
  const { path, gitDir, commonDir } = links;
  const symlinks = await quarantineSymlinks(gitDir);
  const tied = [
    await repairLink({ file: join(path, '.git'), prefix: 'gitdir: ', target: gitDir, guestFolder: path }),
    await repairLink({ file: join(gitDir, 'commondir'), prefix: '', target: commonDir, guestFolder: path }),
    await repairLink({ file: join(gitDir, 'gitdir'), prefix: '', target: join(path, '.git') }),
  ];
  const config = join(gitDir, 'config.worktree');
  const planted = (await isHarmlessConfig(config, 'worktree', options))
    ? []
    : [await quarantine(config, 'was written with entries that can run programs')];
  return [...symlinks, ...tied.filter((finding) => finding !== undefined), ...planted];
}

interface Link {
  readonly file: string;
  readonly prefix: string;
  readonly target: string;
  /** Folder that the link must not point to, even if it is another name of the target. */
  readonly guestFolder?: string;
}

async function repairLink({ file, prefix, target, guestFolder }: Link): Promise<GuestChange | undefined> {
  const content = readRegularFileSync(file, { maxBytes: MAX_LINK_BYTES })?.toString('utf8');
  if (content?.startsWith(prefix) === true) {
    const leadsTo = resolve(dirname(file), content.slice(prefix.length).replace(/\n$/u, ''));
    if (leadsTo === target) return undefined;
    const isOwn = guestFolder !== undefined && isPathWithin(guestFolder, leadsTo);
    if (!isOwn && (await isSame(leadsTo, target))) return undefined;
  }
  return restore(file, `${prefix}${target}\n`, (await isThere(file)) ? 'was replaced' : 'was removed');
}

/**
 * Git creates no symbolic links in these folders. Through one, the next write would go to a target
 * chosen by the guest.
 */
export async function quarantineSymlinks(
  gitDir: string,
  known: ReadonlySet<string> = new Set(),
): Promise<GuestChange[]> {
  const planted = (await listSymlinks(gitDir)).filter((path) => !known.has(path));
  return Promise.all(planted.map((path) => quarantine(path, 'was replaced by a symbolic link')));
}

/**
 * Returns the symbolic links in a git directory and in its `logs`, except those that were renamed.
 */
export async function listSymlinks(gitDir: string): Promise<string[]> {
  const found = await Promise.all(
    [gitDir, join(gitDir, 'logs')].map(async (folder) => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => entry.isSymbolicLink()).map((entry) => join(folder, entry.name));
    }),
  );
  return found.flat().filter((path) => !path.includes(QUARANTINE_SUFFIX));
}

async function isSame(path: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([
    realpath(path).catch(() => path),
    realpath(other).catch(() => other),
  ]);
  return one === two;
}
