/**
 * Mounts of a guest's git store: the store at the target of the worktree's `.git`, and the host's
 * objects read-only next to it.
 */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HANDED_FOLDER } from './final-script.ts';
import { handedFolder, storeGitDir, type GuestStore } from './guest-store.ts';
import { submoduleBinds } from './submodule-copies.ts';
import { readOnly, writable, type GuestBind } from '../../ports/guest-bind.ts';
import { QUARANTINE_SUFFIX } from '../../git/command/quarantine.ts';

/** Folder inside that contains the host's object folders, numbered. */
const OBJECTS_INSIDE = '/run/truecast/objects';

/** Returns the inside path of the object folder with number `index`. */
export function objectsInside(index: number): string {
  return `${OBJECTS_INSIDE}/${index}/objects`;
}

/** Returns the binds of a worktree and its store. A later one can be inside an earlier one. */
export function storeBinds(store: GuestStore): readonly GuestBind[] {
  const { worktreePath, gitDir, commonDir } = store;
  const link = join(worktreePath, '.git');
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isFile() === true;
  return [
    writable(worktreePath),
    { ...writable(storeGitDir(store)), sandboxPath: gitDir },
    ...(isLink ? [readOnly(link)] : []),
    ...readBinds(store),
    ...(holdsHooksSync(commonDir) ? [at(join(commonDir, 'hooks'), join(gitDir, 'hooks'))] : []),
    ...submoduleBinds(store),
  ];
}

/** Returns the binds of a sandbox that runs only the final script. None is below the worktree. */
export function handOverBinds(store: GuestStore): readonly GuestBind[] {
  return [{ ...writable(storeGitDir(store)), sandboxPath: store.gitDir }, ...readBinds(store)];
}

/** Returns the binds of the host's objects, and of the references of the last hand-over. */
function readBinds(store: GuestStore): readonly GuestBind[] {
  return [
    ...store.objectFolders.flatMap((folder, index) => objectBinds(store, folder, index)),
    at(handedFolder(store), HANDED_FOLDER),
  ];
}

function objectBinds({ folder }: GuestStore, objects: string, index: number): readonly GuestBind[] {
  const inside = objectsInside(index);
  const lfs = join(dirname(objects), 'lfs');
  return [
    at(objects, inside),
    // The list is already flattened, and names paths of the host.
    ...(existsSync(join(objects, 'info', 'alternates'))
      ? [at(join(folder, 'empty'), join(inside, 'info', 'alternates'))]
      : []),
    // git-lfs looks for its objects next to each alternate.
    ...(existsSync(lfs) ? [at(lfs, join(dirname(inside), 'lfs'))] : []),
  ];
}

function at(hostPath: string, sandboxPath: string): GuestBind {
  return { ...readOnly(hostPath), sandboxPath };
}

/** Returns true if the repository has a hook that is not a sample. */
function holdsHooksSync(commonDir: string): boolean {
  const folder = join(commonDir, 'hooks');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  return readdirSync(folder).some((name) => !name.endsWith('.sample') && !name.includes(QUARANTINE_SUFFIX));
}
