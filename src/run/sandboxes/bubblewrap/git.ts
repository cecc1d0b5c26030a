/**
 * Owns how a sandbox shows git's folders: commits land on the host, and nothing that the host would execute can be written.
 *
 * linked worktree: the common folder inside is an empty one in memory, that links to the real one, mounted read-only elsewhere;
 *                  objects, refs, logs and the worktree's own folder are the host's
 * main checkout:   the folder is the host's, with read-only binds over what is executed; `inspectGitPaths` looks for the rest
 */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { emptyFolder, linkTo, readOnly, writable, type GuestBind } from '../guest-bind.ts';
import type { WorktreeGitPaths } from '../sandbox-provider.ts';

/** Where the real common folder is seen, read-only. */
const REAL_GIT = '/run/truecast/git';
const CHAIN_ROOT = '/run/truecast/links';

/** git resolves at most five links to place a lock file, and forty to read: a longer chain is read from the host and locked inside. */
const CHAIN_LINKS = 7;

const SHARED_FOLDERS = ['objects', 'refs', 'logs', 'lfs'];
/** What git executes, or takes its settings from, in a main checkout's folder: shown read-only. */
export const EXECUTED_FOLDERS: readonly string[] = ['hooks', 'info', 'modules', 'worktrees'];

/** What leads git elsewhere, in a worktree's own folder: shown read-only. */
export const WORKTREE_FILES: readonly string[] = ['commondir', 'gitdir', 'config.worktree'];

/** Makes the folders and files whose absence would let a guest make them. All are empty, and mean nothing to git. */
export async function prepareGitPaths(git: WorktreeGitPaths): Promise<void> {
  const folders = git.gitDir === git.commonDir ? [...EXECUTED_FOLDERS, 'logs'] : ['logs'];
  await Promise.all(folders.map((name) => mkdir(join(git.commonDir, name), { recursive: true })));
  await mkdir(join(git.commonDir, 'objects', 'info'), { recursive: true });
  await writeFile(join(git.gitDir, 'config.worktree'), '', { flag: 'a' });
}

/** Returns the binds of a worktree and of its git folders; a later one may lie in an earlier one. */
export function worktreeBinds(worktreePath: string, git: WorktreeGitPaths | undefined): readonly GuestBind[] {
  if (git === undefined) return [writable(worktreePath)];
  const isMain = git.gitDir === git.commonDir;
  return [
    ...alternates(git.commonDir).map(readOnly),
    // Whichever may contain the other comes first.
    ...(isMain
      ? [writable(worktreePath), ...mainCheckoutBinds(git)]
      : [
          ...linkedWorktreeBinds(git),
          writable(worktreePath),
          ...existing(worktreePath, ['.git']).map(readOnly),
        ]),
    readOnly(join(git.commonDir, 'objects', 'info')),
    ...existing(git.gitDir, WORKTREE_FILES).map(readOnly),
  ];
}

function mainCheckoutBinds({ commonDir }: WorktreeGitPaths): readonly GuestBind[] {
  return [
    // Bound onto itself, the folder is a mount point, which cannot be renamed away.
    writable(commonDir),
    ...existing(commonDir, ['config', ...EXECUTED_FOLDERS]).map(readOnly),
  ];
}

function linkedWorktreeBinds({ commonDir, gitDir }: WorktreeGitPaths): readonly GuestBind[] {
  const names = readdirSync(commonDir).filter(
    (name) => !SHARED_FOLDERS.includes(name) && name !== 'worktrees',
  );
  const isFile = (name: string): boolean =>
    lstatSync(join(commonDir, name), { throwIfNoEntry: false })?.isFile() === true;
  // A lock that the host holds right now is not the guest's.
  const files = names.filter((name) => isFile(name) && !name.endsWith('.lock') && name !== 'HEAD');
  const folders = names.filter((name) => !isFile(name));
  return [
    emptyFolder(commonDir),
    { ...readOnly(commonDir), sandboxPath: REAL_GIT },
    emptyFolder(CHAIN_ROOT),
    ...existing(commonDir, SHARED_FOLDERS).map(writable),
    writable(gitDir),
    // git takes a linked HEAD for a reference, so this one is a file.
    ...existing(commonDir, ['HEAD']).map(readOnly),
    ...folders.map((name) => linkTo(`${REAL_GIT}/${name}`, join(commonDir, name))),
    ...[...new Set([...files, 'packed-refs', 'config'])].flatMap((name) => linkChain(commonDir, name)),
  ];
}

/** Links `commonDir/name` to the host's file so that it is always the host's newest, and that its lock can be made inside. */
function linkChain(commonDir: string, name: string): readonly GuestBind[] {
  const stops = Array.from({ length: CHAIN_LINKS }, (_, index) => `${CHAIN_ROOT}/${name}.${index}`);
  const targets = [...stops.slice(1), `${REAL_GIT}/${name}`];
  const first = linkTo(stops[0] ?? '', join(commonDir, name));
  return [first, ...stops.map((stop, index) => linkTo(targets[index] ?? '', stop))];
}

/** Other object stores that this one borrows from; only the host can have written the list, since the guest sees it read-only. */
function alternates(commonDir: string): readonly string[] {
  const objects = join(commonDir, 'objects');
  const list = join(objects, 'info', 'alternates');
  if (!existsSync(list)) return [];
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => resolve(objects, line))
    .filter((path) => existsSync(path));
}

function existing(folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => join(folder, name)).filter((path) => existsSync(path));
}
