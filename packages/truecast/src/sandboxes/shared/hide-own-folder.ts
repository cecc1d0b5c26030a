/**
 * Protection of `.truecast/` in a sandbox: keys and other worktrees are hidden. In the caller's own
 * checkout the folder is read-only.
 */
import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ensureTruecastRoot, truecastFolder } from '../../support/truecast-folder.ts';
import { emptyFolder, readOnly, writable, type GuestBind } from '../../ports/guest-bind.ts';

const HIDDEN_FOLDERS = ['logs', 'worktrees', 'workspaces'];
const HIDDEN_FILES = ['.env'];

export interface GuestPlace {
  readonly worktreePath: string;
  /** True if the folder is a git checkout. */
  readonly isCheckout: boolean;
  /** An empty file, bound over each hidden file. */
  readonly emptyFilePath: string;
}

/**
 * Returns the binds that hide other worktrees and keys.
 *
 * The next run reads prompts and `.env` from the caller's checkout, so a guest must not write them.
 * The folder is read-only there, and created if missing. In a worktree created for the run the
 * folder is part of the work.
 *
 * @throws RepositoryError `unsafe-path` if `.truecast` is not a folder
 */
export function hideOwnFolder({ worktreePath, isCheckout, emptyFilePath }: GuestPlace): readonly GuestBind[] {
  const isCallers = isCheckout && !isRunWorktree(worktreePath);
  const path = isCallers ? ensureTruecastRoot(worktreePath) : truecastFolder(worktreePath);
  const find = (...names: readonly string[]): ReturnType<typeof lstatSync> | undefined =>
    lstatSync(join(path, ...names), { throwIfNoEntry: false });
  if (find()?.isDirectory() !== true) return [];
  return [
    // A folder bound onto itself cannot be renamed. A rename would expose the hidden content under
    // another name.
    isCallers ? readOnly(path) : writable(path),
    ...HIDDEN_FOLDERS.filter((name) => find(name)?.isDirectory() === true).map((name) =>
      emptyFolder(join(path, name)),
    ),
    ...HIDDEN_FILES.filter((name) => find(name)?.isFile() === true).map((name): GuestBind => {
      return { type: 'bind', hostPath: emptyFilePath, sandboxPath: join(path, name), readonly: true };
    }),
  ];
}

/** Returns true for a worktree that Truecast created: `.truecast/worktrees/<name>`. */
function isRunWorktree(path: string): boolean {
  const folder = dirname(path);
  return basename(folder) === 'worktrees' && basename(dirname(folder)) === '.truecast';
}
