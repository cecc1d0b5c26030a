/**
 * State folder of a repository or a working directory, below the state directory. Its name depends
 * on the real path.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { ensurePrivateFolder, stateHome } from './state-home.ts';

const READABLE_CHARS = 40;
const HASH_CHARS = 12;
/** A `.git` file contains one path. */
const MAX_GIT_FILE_BYTES = 8 * 1024;

/**
 * Returns the state folder of a repository, given the git directory that all its checkouts share.
 *
 * `<readable name>-<hash of the real path>`: two repositories of the same name have two folders,
 * and all worktrees of one repository share a folder. A moved repository starts with an empty one.
 * Creates nothing.
 */
export function repositoryStateFolder(commonDir: string): string {
  const folder = copiedFolders.get(commonDir);
  if (folder !== undefined) return stateFolderOf(folder);
  const real = realOrGiven(commonDir);
  const name = basename(real) === '.git' ? basename(dirname(real)) : basename(real).replace(/\.git$/u, '');
  return join(stateHome(), `${readableName(name)}-${hashOf(real)}`);
}

/** Folders of which this process has temporary copies, by the copies' git directories. */
const copiedFolders = new Map<string, string>();

/** Makes a temporary copy use the state folder of the copied folder. Returns the function that ends it. */
export function useStateFolderOf(folder: string, commonDir: string): () => void {
  copiedFolders.set(commonDir, folder);
  return () => void copiedFolders.delete(commonDir);
}

/** Returns true for the git directory of a temporary copy of this process. */
export function isTemporaryCopy(commonDir: string): boolean {
  return copiedFolders.has(commonDir);
}

/**
 * Returns the state folder for programs that work in `folder`: that of their repository, or a
 * separate one outside of any repository. Creates nothing.
 */
export function stateFolderOf(folder: string): string {
  const real = realOrGiven(resolve(folder));
  const commonDir = findCommonDir(real);
  if (commonDir !== undefined) return repositoryStateFolder(commonDir);
  return join(stateHome(), `${readableName(basename(real))}-${hashOf(real)}`);
}

/**
 * Returns the state folder for a program that works in `folder`. Undefined for a user without a home
 * folder, who has no kept runs.
 */
export function findStateFolder(folder: string): string | undefined {
  try {
    return stateFolderOf(folder);
  } catch (error) {
    if (UsageError.isInstance(error)) return undefined;
    throw error;
  }
}

/**
 * Creates a folder in a state folder, or the state folder itself, with access for this user only.
 * Returns its path.
 *
 * @throws UsageError `no-state-folder`
 */
export function ensureStateFolder(
  stateFolder: string,
  name?: 'allowed' | 'executions' | 'logs' | 'recovered' | 'runs',
): string {
  ensurePrivateFolder(stateFolder);
  return name === undefined ? stateFolder : ensurePrivateFolder(join(stateFolder, name));
}

/**
 * Finds the repository as git does, without starting git. A store must open even if git is not
 * installed.
 */
function findCommonDir(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    const found = commonDirAt(join(current, '.git'));
    if (found !== undefined) return found;
    if (dirname(current) === current) return undefined;
  }
}

function commonDirAt(place: string): string | undefined {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) return isGitDir(place) ? place : undefined;
  const gitDir = /^gitdir: (.+?)\r?\n?$/u.exec(readSmall(place) ?? '')?.[1];
  if (gitDir === undefined) return undefined;
  const absolute = resolve(dirname(place), gitDir);
  const common = readSmall(join(absolute, 'commondir'))?.trim();
  return common === undefined ? absolute : resolve(absolute, common);
}

function isGitDir(path: string): boolean {
  return statSync(join(path, 'HEAD'), { throwIfNoEntry: false })?.isFile() === true;
}

/** A pipe or a huge file named `.git` must not block the program. */
function readSmall(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= MAX_GIT_FILE_BYTES
    ? readFileSync(path, 'utf8')
    : undefined;
}

function realOrGiven(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function readableName(name: string): string {
  const safe = name.replaceAll(/[^\w.-]+/gu, '-').replace(/^[.-]+/u, '');
  return safe === '' ? 'folder' : safe.slice(0, READABLE_CHARS);
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, HASH_CHARS);
}
