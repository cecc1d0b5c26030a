/** Files that a killed git was writing: their content is the start of the content to write. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { git, type GitOptions } from '../command/git.ts';
import { systemPath, unquotePath } from '../command/quoted-path.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';

export interface PartialSearch {
  readonly topLevel: string;
  /** Start of the git that was killed. Older files are not its work. */
  readonly sinceMs: number;
  /** Temporary folder. */
  readonly folder: string;
}

/** Larger files are not compared, and count as the user's. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;

/**
 * Returns those paths whose file is incomplete. Git writes few files at the same time, so few are
 * candidates.
 *
 * @param paths quoted paths that differ from the index of the call
 */
export async function findPartial(
  paths: readonly string[],
  { topLevel, sinceMs, folder }: PartialSearch,
  call: GitOptions,
): Promise<readonly string[]> {
  const isRecent = async (path: string): Promise<boolean> => {
    const found = await lstat(systemPath(topLevel, unquotePath(path))).catch(() => undefined);
    // File systems round times down.
    return found?.isFile() === true && found.mtimeMs >= sinceMs - 1_000;
  };
  const recent = await Promise.all(paths.map(isRecent));
  const candidates = paths.filter((_, index) => recent[index]);
  if (candidates.length === 0) return [];
  const whole = join(folder, 'whole');
  const input = candidates.map((path) => `${path}\n`).join('');
  await git(['checkout-index', '--quiet', '--stdin', `--prefix=${whole}/`], { ...call, input });
  return candidates.filter((path) => {
    const name = unquotePath(path);
    const [part, full] = [topLevel, whole].map((root) =>
      readRegularFileSync(systemPath(root, name), { maxBytes: MAX_FILE_BYTES }),
    );
    if (part === undefined || full === undefined || part.length >= full.length) return false;
    return part.equals(full.subarray(0, part.length));
  });
}
