/** PATH of the host's own calls, without folders in which a repository or a guest could place a program. */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isPathWithin } from './path-within.ts';

const guarded = new Set<string>();
const realPaths = new Map<string, readonly string[]>();

/**
 * Leaves a guest's folders out of the search path of every later call of this process. Folders below
 * one that is left out already take no memory, so a server can start any number of worktrees.
 */
export function guardSearchPath(folders: readonly string[]): void {
  for (const root of rootsOf(folders)) if (!isInside(root, guarded)) guarded.add(root);
}

/**
 * Returns this process's environment for a program that the host starts. Its PATH contains no
 * folder of a repository: neither of the current folder, `cwd`, nor one in which a guest works.
 */
export function hostEnvironment(cwd?: string): Record<string, string> {
  const { PATH: searchPath = '', ...others } = process.env;
  const entries = Object.entries(others).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const folders = cwd === undefined ? [] : [cwd];
  return { ...Object.fromEntries(entries), PATH: hostSearchPath(folders, searchPath) };
}

/** Returns the PATH of `hostEnvironment`, also without the checkouts of `folders`. */
export function hostSearchPath(
  folders: readonly string[] = [],
  searchPath: string = process.env['PATH'] ?? '',
): string {
  return outside(searchPath, new Set([...guarded, ...rootsOf([process.cwd(), ...folders])]));
}

/**
 * Returns `searchPath` without relative folders and without those below the checkouts of `folders`,
 * such as `node_modules/.bin`. Symlinks are resolved.
 *
 * A program that the host starts in a worktree would find a relative folder there.
 */
export function searchPathOutside(searchPath: string, folders: readonly string[]): string {
  return outside(searchPath, new Set(rootsOf(folders)));
}

function outside(searchPath: string, roots: ReadonlySet<string>): string {
  const isOutside = (folder: string): boolean =>
    isAbsolute(folder) && !rememberedRealPath(folder).some((path) => isInside(path, roots));
  return searchPath.split(delimiter).filter(isOutside).join(delimiter);
}

function isInside(path: string, roots: ReadonlySet<string>): boolean {
  return roots.has(path) || [...roots].some((root) => isPathWithin(root, path));
}

/** Returns the checkouts of folders, as written and with symlinks resolved. */
function rootsOf(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => withRealPath(checkoutOf(folder)));
}

/** Returns the checkout that contains a folder, or the folder itself if there is none. */
function checkoutOf(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, '.git'))) return current;
    if (dirname(current) === current) return folder;
  }
}

/** Returns a path as written and with its symlinks resolved. */
function withRealPath(folder: string): readonly string[] {
  try {
    return [folder, realpathSync(folder)];
  } catch {
    return [folder];
  }
}

/** The folders of a PATH are the same in each call. */
function rememberedRealPath(folder: string): readonly string[] {
  const known = realPaths.get(folder) ?? withRealPath(folder);
  if (known.length > 1) realPaths.set(folder, known);
  return known;
}
