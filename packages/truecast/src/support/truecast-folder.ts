/**
 * Folder `.truecast/` of a checkout: files that people edit, the runs' worktrees, clones of repositories, and the
 * chats' workspaces. Nothing secret is written there.
 */
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { readRegularFileSync } from './regular-file-sync.ts';

/** Lines of the folder's ignore file. Prompts and settings that a user keeps there stay visible to git. */
export const TRUECAST_IGNORED: readonly string[] = [
  '/worktrees/',
  '/workspaces/',
  '/repositories/',
  '/logs/',
  '/outcomes.jsonl',
  '/triage.jsonl',
  '/server.json*',
  '*.sqlite*',
  '.env',
  '.env.*',
  '!.env.example',
];

/** Names that only Truecast and its user write. No guest and no commit can add one. */
const RESERVED_NAMES: readonly string[] = [
  '.truecast/.env',
  '.truecast/logs',
  '.truecast/worktrees',
  '.truecast/workspaces',
  '.truecast/repositories',
  '.truecast/recovered',
  '.truecast/outcomes.jsonl',
  '.truecast/server.json',
  '.truecast/truecast.sqlite',
];

/** Returns the path of `.truecast/` under a checkout's top folder. */
export function truecastFolder(topLevel: string): string {
  return join(topLevel, '.truecast');
}

/** Returns the folder of all worktrees, given the top folder of the main checkout. */
export function worktreesFolder(mainTopLevel: string): string {
  return join(truecastFolder(mainTopLevel), 'worktrees');
}

/**
 * Returns true for a path that no commit can add or change: a reserved name, a path below one, or a
 * symlink at or below `.truecast`.
 *
 * Case is ignored, because some file systems ignore it.
 */
export function isReservedPath(path: string, isLink: boolean): boolean {
  const name = path.toLowerCase();
  if (isLink && (name === '.truecast' || name.startsWith('.truecast/'))) return true;
  return RESERVED_NAMES.some((reserved) => name === reserved || name.startsWith(`${reserved}/`));
}

/**
 * Creates `.truecast/` with its ignore file. A user's own `.gitignore` there is not changed.
 *
 * @throws RepositoryError `unsafe-path` if something other than a folder is there
 */
export function ensureTruecastRoot(topLevel: string): string {
  const root = truecastFolder(topLevel);
  // Synchronous like the locks: the thread pool would cost more than the whole call.
  ensureRealFolder(root);
  writeNew(join(root, '.gitignore'), ['/.gitignore', ...TRUECAST_IGNORED, ''].join('\n'));
  return root;
}

/**
 * Creates a folder in `.truecast/` that git ignores, and returns its path.
 *
 * @throws RepositoryError `unsafe-path` if something other than a folder is there
 */
export function ensureTruecastFolder(
  topLevel: string,
  name: 'repositories' | 'worktrees' | 'workspaces',
): string {
  const folder = join(ensureTruecastRoot(topLevel), name);
  ensureRealFolder(folder);
  writeIgnoreAll(folder);
  return folder;
}

/**
 * Checks that `.truecast/` and its worktrees are folders of the checkout itself. Creates nothing.
 *
 * @throws RepositoryError `unsafe-path` if something else than a folder is at one of them
 */
export function assertTruecastFolders(topLevel: string): void {
  for (const path of [truecastFolder(topLevel), worktreesFolder(topLevel)]) isRealFolder(path);
}

/**
 * Creates a folder if it is missing.
 *
 * @throws RepositoryError `unsafe-path` if something else is there
 */
export function ensureRealFolder(path: string): void {
  if (!isRealFolder(path)) mkdirSync(path, { recursive: true });
}

/** Returns false if nothing is there. @throws RepositoryError `unsafe-path` */
function isRealFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) {
    throw new RepositoryError(
      `Expected \`${path}\` to be a folder, got ${found.isSymbolicLink() ? 'a symbolic link' : 'a file'}. Check its origin, then remove it. If git tracks it, also run \`git rm --cached\`.`,
      { code: 'unsafe-path' },
    );
  }
  return found !== undefined;
}

/**
 * A repository can contain an ignore file that exposes the folder's content to git. It is replaced.
 */
function writeIgnoreAll(folder: string): void {
  const path = join(folder, '.gitignore');
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (readRegularFileSync(path, { maxBytes: 2 })?.toString() === '*\n') return;
  if (found === undefined) return writeNew(path, '*\n');
  const draft = join(folder, `.gitignore.${process.pid}`);
  rmSync(draft, { force: true });
  writeFileSync(draft, '*\n', { flag: 'wx' });
  renameSync(draft, path);
}

function writeNew(path: string, content: string): void {
  try {
    writeFileSync(path, content, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
