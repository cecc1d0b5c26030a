/** Owns what of the project's own folder a guest must not see when it works in the main checkout. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder, writable, type GuestBind } from './guest-bind.ts';

const HIDDEN_FOLDERS = ['logs', 'worktrees', 'locks'];
const HIDDEN_FILES = ['.env'];

/** Returns the binds that hide logs, other worktrees, locks and keys; `emptyFilePath` stands for a hidden file. */
export function hideOwnFolder(worktreePath: string, emptyFilePath: string): readonly GuestBind[] {
  const path = join(worktreePath, '.truecast');
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const has = (name: string): boolean => lstatSync(join(path, name), { throwIfNoEntry: false }) !== undefined;
  return [
    // Bound onto itself it cannot be renamed, which would carry what it hides to another name.
    writable(path),
    ...HIDDEN_FOLDERS.filter(has).map((name) => emptyFolder(join(path, name))),
    ...HIDDEN_FILES.filter(has).map((name): GuestBind => {
      return { type: 'bind', hostPath: emptyFilePath, sandboxPath: join(path, name), readonly: true };
    }),
  ];
}
