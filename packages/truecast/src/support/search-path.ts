/** PATH of the host's own calls, without folders in which a repository or a guest could place a program. */
import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';

/** A set of resolved paths, of any size. */
type Paths = Pick<ReadonlySet<string>, 'has'>;

const guarded = new Set<string>();
const placesByFolder = new Map<string, readonly string[]>();

/** Linux follows this many symlinks of one path. */
const MOST_SYMLINKS = 40;

/**
 * Leaves a guest's folders out of the search path of every later call of this process. Folders below
 * one that is left out already take no memory, so a server can start any number of worktrees.
 */
export function guardSearchPath(folders: readonly string[]): void {
  guard(rootsOf(folders));
}

/**
 * Leaves out folders that a guest can write, without the checkout around them: Homebrew's prefix is
 * a checkout, and a cache in it can be mounted.
 */
export function guardWritableFolders(folders: readonly string[]): void {
  guard(folders.flatMap(withRealPath));
}

function guard(roots: readonly string[]): void {
  for (const root of roots) {
    if (!withParents(root).some((path) => guarded.has(path))) guarded.add(resolve(root));
  }
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
  return searchPathOutside(searchPath, [process.cwd(), ...folders], guarded);
}

/**
 * Returns `searchPath` without relative folders, without those that do not exist, and without those
 * below the checkouts of `folders`, such as `node_modules/.bin`, or below resolved paths in `more`.
 * Each symlink is followed: one in a checkout leads where a guest wants.
 *
 * A program that the host starts in a worktree would find a relative folder there.
 */
export function searchPathOutside(
  searchPath: string,
  folders: readonly string[],
  more: Paths = new Set(),
): string {
  const roots = [new Set(rootsOf(folders).map((root) => resolve(root))), more];
  const isOutside = (folder: string): boolean => {
    const places = isAbsolute(folder) ? rememberedPlaces(folder) : undefined;
    return places !== undefined && !places.some((path) => roots.some((paths) => paths.has(path)));
  };
  return searchPath.split(delimiter).filter(isOutside).join(delimiter);
}

/**
 * Returns a path and each folder above it. A caller looks for each in a set: a server guards the repositories of all
 * its runs, and every call of git asks.
 */
function withParents(path: string): readonly string[] {
  const paths = [resolve(path)];
  for (let current = resolve(path); dirname(current) !== current; current = dirname(current)) {
    paths.push(dirname(current));
  }
  return paths;
}

/** Returns the checkouts of folders, as written and with symlinks resolved. */
function rootsOf(folders: readonly string[]): readonly string[] {
  // A call of git names one folder up to three times.
  return [...new Set(folders)].flatMap((folder) => withRealPath(checkoutOf(folder)));
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

/**
 * Returns a folder, the symlinks that lead to it, and each folder above them. The folders of a PATH are the same in each
 * call. Undefined as `symlinkSteps` is.
 */
function rememberedPlaces(folder: string): readonly string[] | undefined {
  const known = placesByFolder.get(folder);
  if (known !== undefined) return known;
  const steps = symlinkSteps(folder);
  if (steps === undefined) return undefined;
  const places = [...new Set([folder, ...steps].flatMap(withParents))];
  placesByFolder.set(folder, places);
  return places;
}

/** Undefined also for what cannot be read, or has too long a name: no program can be started from it. */
function statOptional(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Returns the symlinks that lead to a folder, and the folder itself, each below a resolved folder.
 * Returns undefined if the folder does not exist or cannot be read: a guest could create it between
 * this check and the start of the program.
 */
function symlinkSteps(folder: string): readonly string[] | undefined {
  const links: string[] = [];
  const rest = namesOf(folder);
  let current: string = sep;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = join(current, name);
    const found = statOptional(next);
    if (found === undefined || links.length > MOST_SYMLINKS) return undefined;
    if (!found.isSymbolicLink()) {
      current = next;
      continue;
    }
    const target = readlinkSync(next);
    links.push(next);
    rest.unshift(...namesOf(target));
    if (isAbsolute(target)) current = sep;
  }
  return [...links, current];
}

function namesOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== '');
}
