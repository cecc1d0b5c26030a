/**
 * Repositories of submodules for a guest, read-only: their folders are mounted, and their
 * configuration is a sanitized copy.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitOutput, type GitOptions } from '../../git/command/git.ts';
import { copyRegularFileSync } from '../../support/regular-file-sync.ts';
import { readOnly, type GuestBind } from '../../ports/guest-bind.ts';
import { configInside, parseLocalConfig, type ConfigInsideOptions } from './config-inside.ts';
import type { GuestStore } from './guest-store.ts';

/** Each submodule needs up to six mounts. Further submodules are not shown. */
const MAX_SUBMODULES = 50;
/** A submodule's name can have slashes, and a submodule can have submodules. */
const MAX_DEPTH = 16;
const FOLDERS = ['objects', 'refs', 'logs', 'hooks', 'info', 'lfs'];
const FILES = ['HEAD', 'index', 'packed-refs', 'shallow'];

type Place = Pick<GuestStore, 'folder' | 'gitDir'>;

/**
 * Writes the copies next to the store. They contain no token from the URL or header of a submodule.
 *
 * The host's folder is never mounted as a whole. Git on the host replaces its `config` file, which
 * would end a mount over that file.
 */
export async function copySubmodules(
  { folder, gitDir }: Place,
  call: GitOptions,
  options: Pick<ConfigInsideOptions, 'hasOtherOwner'>,
): Promise<void> {
  const modules = join(gitDir, 'modules');
  const names = findSubmodules(modules, '', 0).slice(0, MAX_SUBMODULES);
  await Promise.all(
    names.map(async (name) => {
      const from = join(modules, name);
      const to = join(copiesFolder(folder), name);
      const args = ['config', '--file', join(from, 'config'), '--no-includes', '-z', '--list'];
      const entries = parseLocalConfig(await gitOutput(args, call));
      mkdirSync(to, { recursive: true });
      writeFileSync(join(to, 'config'), configInside(entries, { ...options, isSubmodule: true }));
      for (const one of FOLDERS.filter((each) => isFolder(join(from, each)))) mkdirSync(join(to, one));
      for (const one of FILES) copyRegularFileSync(join(from, one), join(to, one));
    }),
  );
}

/** Returns the mounts of the copies. */
export function submoduleBinds({ folder, gitDir }: Place): readonly GuestBind[] {
  const copies = copiesFolder(folder);
  const modules = join(gitDir, 'modules');
  const folders = findSubmodules(copies, '', 0).flatMap((name) =>
    FOLDERS.filter((one) => isFolder(join(copies, name, one))).map((one) => join(modules, name, one)),
  );
  return isFolder(copies)
    ? [{ ...readOnly(copies), sandboxPath: modules }, ...folders.filter(isFolder).map(readOnly)]
    : [];
}

function copiesFolder(folder: string): string {
  return join(folder, 'modules');
}

/** Returns the path of each folder with a `config`, relative to `root`. */
function findSubmodules(root: string, path: string, depth: number): readonly string[] {
  const folder = join(root, path);
  if (depth > MAX_DEPTH || !isFolder(folder)) return [];
  const isSubmodule = existsSync(join(folder, 'config'));
  // Inside a repository, only `modules` leads to others.
  const names = isSubmodule ? ['modules'] : readdirSync(folder);
  const found = names.flatMap((name) => findSubmodules(root, join(path, name), depth + 1));
  return isSubmodule ? [path, ...found] : found;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
