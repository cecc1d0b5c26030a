/**
 * Defusing: hides a guest's repository from git by renaming, if it could run a program. Deletes
 * nothing.
 */
import { lstatSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { GitCallOptions } from '../../git/command/git.ts';
import { isHarmlessConfig } from '../../git/command/harmless-config.ts';
import { QUARANTINE_SUFFIX } from '../../git/command/quarantine.ts';
import { readContent } from './file-fingerprint.ts';
import type { SensitiveFile } from './find-sensitive-files.ts';
import { toShownPath, toSystemPath } from './walk-checkout.ts';

/**
 * Renames a repository. Returns its new path, or undefined if its configuration and hooks run
 * nothing.
 *
 * `HEAD` is renamed too. Without it, git does not accept the folder as a repository from inside
 * either.
 */
export async function defuseRepository(
  root: string,
  file: SensitiveFile,
  options: GitCallOptions,
): Promise<string | undefined> {
  if (await isHarmless(root, file, options)) return undefined;
  const { path, kind } = file;
  const isFolder = lstatSync(toSystemPath(root, path)).isDirectory();
  const head = isFolder ? moveAside(root, `${path}/HEAD`) : undefined;
  return toShownPath((kind === 'repository' ? moveAside(root, path) : head) ?? path);
}

async function isHarmless(
  root: string,
  { path, parts }: SensitiveFile,
  options: GitCallOptions,
): Promise<boolean> {
  const shown = join(root, toShownPath(path));
  // A name that is not UTF-8 cannot be passed to git.
  if (shown.includes('\uFFFD')) return false;
  const isRisky = parts.some((part) => /\/(commondir|config\.worktree|hooks\/[^/]+)$/u.test(part));
  const gitDir = isRisky ? undefined : gitDirOf(root, path, shown);
  if (gitDir === undefined) return false;
  return isHarmlessConfig(join(gitDir, 'config'), 'submodule', options);
}

/**
 * A `.git` file points to another folder. The folder is inspected only if it contains nothing but a
 * configuration.
 */
function gitDirOf(root: string, path: string, shown: string): string | undefined {
  const found = lstatSync(shown, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return shown;
  const text = readContent(toSystemPath(root, path))?.toString('utf8');
  const target = /^gitdir: ([^\n]+)\n?$/u.exec(text ?? '')?.[1];
  if (target === undefined) return undefined;
  const gitDir = resolve(dirname(shown), target);
  const isRisky = ['commondir', 'config.worktree', 'hooks'].some(
    (name) => lstatSync(join(gitDir, name), { throwIfNoEntry: false }) !== undefined,
  );
  const isFolder = lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && !isRisky ? gitDir : undefined;
}

/** Renames an item of a checkout. Returns its new path, or undefined if the old one does not exist. */
export function moveAside(root: string, path: string): string | undefined {
  const isThere = (candidate: string): boolean =>
    lstatSync(toSystemPath(root, candidate), { throwIfNoEntry: false }) !== undefined;
  if (!isThere(path)) return undefined;
  for (let number = 1; ; number += 1) {
    const target = `${path}${QUARANTINE_SUFFIX}${number === 1 ? '' : `-${number}`}`;
    if (isThere(target)) continue;
    renameSync(toSystemPath(root, path), toSystemPath(root, target));
    return target;
  }
}

const EXEC_LINE = /^\s*(exec|x)\s/mu;

/**
 * Renames the state of a rebase that would run a command when it is continued. Returns its new
 * path.
 */
export function defuseRebase(gitDir: string): string | undefined {
  const state = 'rebase-merge';
  const todo = join(gitDir, state, 'git-rebase-todo');
  const found = lstatSync(todo, { throwIfNoEntry: false });
  const hasStrategy = lstatSync(join(gitDir, state, 'strategy'), { throwIfNoEntry: false }) !== undefined;
  if (found === undefined && !hasStrategy) return undefined;
  const text = readContent(Buffer.from(todo))?.toString('utf8');
  const isRisky = hasStrategy || text === undefined || EXEC_LINE.test(text);
  return isRisky ? moveAside(gitDir, state) : undefined;
}
