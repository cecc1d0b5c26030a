/**
 * Bare repositories: detects folders that git accepts as a repository because of their content.
 * Pure.
 */
import { foldName } from './paths/fold-name.ts';

/** Names that make a folder a repository, or determine which programs git runs in it. */
const PARTS = ['head', 'objects', 'refs', 'commondir', 'config', 'config.worktree', 'hooks'];

/**
 * Returns true if git accepts a folder with these entries as a repository (git, setup.c
 * `is_git_directory`).
 *
 * Entries can be symlinks or executable files, because git only checks whether it can enter them.
 * `commondir` replaces both folders.
 */
export function isRepositoryFolder(entries: readonly string[]): boolean {
  const names = new Set(entries.map(foldName));
  return names.has('head') && ((names.has('objects') && names.has('refs')) || names.has('commondir'));
}

/**
 * Returns the folders that a changed path could turn into a repository. Includes repositories that
 * it could make more dangerous.
 */
export function foldersToLookInto(path: string): readonly string[] {
  const names = path.split('/');
  return names.flatMap((name, index) =>
    index > 0 && PARTS.includes(foldName(name)) ? [names.slice(0, index).join('/')] : [],
  );
}
