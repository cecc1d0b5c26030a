/**
 * Private host folder of one container: its empty folders and links, links to programs, and
 * environment files.
 */
import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { quoteArgument } from '../../support/shell-quote.ts';
import { makeTemporaryFolder, removeTree } from '../../process/temporary-folder.ts';
import type { GuestBind } from '../../ports/guest-bind.ts';
import { isVariableName } from './container-options.ts';
import { statSync } from 'node:fs';
import { packageRoot } from '../bubblewrap/programs.ts';

/** A host path and its mount options. */
export interface ContainerMount {
  readonly hostPath: string;
  readonly sandboxPath: string;
  readonly readonly: boolean;
  /** True if the engine can set the SELinux label. False for paths of the host's system. */
  readonly isLabelled: boolean;
  /** Folders that guests can write, if the host path is in one or in a checkout. */
  readonly roots?: readonly string[];
}

/** A folder with access for this user only. */
export interface ContainerFolder {
  /** Path of a file that is always empty. */
  readonly emptyFilePath: string;
  /** Mounts of the folder itself. */
  readonly mounts: readonly ContainerMount[];
  /** Creates the sandbox-specific entries of `binds`, and returns all of them as mounts. */
  makeMounts(binds: readonly GuestBind[]): Promise<readonly ContainerMount[]>;
  /** Creates links to the programs at these paths, so that they are found by name. */
  linkPrograms(paths: readonly string[]): Promise<void>;
  /** Writes an environment file in shell syntax. Returns its id inside. */
  writeEnvironment(variables: Readonly<Record<string, string>>): Promise<string>;
  removeEnvironment(id: string): Promise<void>;
  /** Returns true if a host path is in this folder. */
  owns(hostPath: string): boolean;
  remove(): Promise<void>;
}

/** Sandbox path of the environment files. */
export const ENVIRONMENT_FOLDER = '/run/truecast/env';
/** Sandbox path of the links to host programs. */
export const PROGRAM_FOLDER = '/run/truecast/bin';

/**
 * Only the outermost folder denies access to others. The guest can be another user and must read
 * the mounted subfolders.
 */
const SHARED_FOLDER_MODE = 0o755;
const GUEST_FOLDER_MODE = 0o777;

export async function createContainerFolder(): Promise<ContainerFolder> {
  const path = await makeTemporaryFolder('container');
  const emptyFilePath = join(path, 'empty');
  const [environments, programs, own] = ['env', 'bin', 'own'].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ];
  await Promise.all([environments, programs, own].map((folder) => makeFolder(folder, SHARED_FOLDER_MODE)));
  await writeFile(emptyFilePath, '');
  return {
    emptyFilePath,
    mounts: [
      { hostPath: environments, sandboxPath: ENVIRONMENT_FOLDER, readonly: true, isLabelled: true },
      { hostPath: programs, sandboxPath: PROGRAM_FOLDER, readonly: true, isLabelled: true },
    ],
    makeMounts: (binds) => makeMounts(own, binds),
    async linkPrograms(paths) {
      await Promise.all(
        paths.map((program) => symlink(program, join(programs, basename(program))).catch(ignoreExisting)),
      );
    },
    async writeEnvironment(variables) {
      const id = randomUUID();
      const lines = Object.entries(variables)
        .filter(([name]) => isVariableName(name))
        .map(([name, value]) => `export ${name}=${quoteArgument(value)}\n`);
      await writeFile(join(environments, id), lines.join(''));
      return id;
    },
    removeEnvironment: (id) => rm(join(environments, id), { force: true }),
    owns: (hostPath) => hostPath.startsWith(`${path}/`),
    remove: () => removeTree(path),
  };
}

/** Removes duplicate mount paths, which the engines reject. The last mount takes precedence. */
export function withoutDuplicates(mounts: readonly ContainerMount[]): readonly ContainerMount[] {
  return [...new Map(mounts.map((mount) => [mount.sandboxPath, mount])).values()];
}

async function makeMounts(own: string, binds: readonly GuestBind[]): Promise<readonly ContainerMount[]> {
  const empty = binds.filter(({ type }) => type === 'empty').map(({ sandboxPath }) => sandboxPath);
  const folders = new Map(empty.map((sandboxPath, index) => [sandboxPath, join(own, String(index))]));
  await Promise.all([...folders.values()].map((folder) => makeFolder(folder, GUEST_FOLDER_MODE)));
  const inOwn = (sandboxPath: string): string | undefined => {
    const root = empty
      .filter((folder) => sandboxPath.startsWith(`${folder}/`))
      .toSorted(byLength)
      .at(-1);
    return root === undefined ? undefined : join(folders.get(root) ?? '', sandboxPath.slice(root.length));
  };
  const mounts: ContainerMount[] = [];
  for (const bind of binds) {
    const { sandboxPath } = bind;
    const place = inOwn(sandboxPath);
    // Created here, the folder belongs to the caller. The engine would create it as root.
    if (place !== undefined) await makeMountPoint(place, bind);
    mounts.push(
      bind.type === 'bind'
        ? { ...bind, isLabelled: true }
        : { hostPath: folders.get(sandboxPath) ?? '', sandboxPath, readonly: false, isLabelled: true },
    );
  }
  return mounts;
}

async function makeMountPoint(path: string, bind: GuestBind): Promise<void> {
  const isFolder = bind.type === 'empty' || (await lstat(bind.hostPath)).isDirectory();
  await mkdir(isFolder ? path : dirname(path), { recursive: true });
  if (!isFolder) await writeFile(path, '', { flag: 'a' });
}

/** Independent of this process's umask. */
async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path);
  await chmod(path, mode);
}

function byLength(one: string, other: string): number {
  return one.length - other.length;
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
}

/** Mounts and links for programs inside. */
interface ContainerPrograms {
  readonly mounts: readonly ContainerMount[];
  /** Paths of programs that must be found by name. */
  readonly executables: readonly string[];
}

const EXECUTABLE_BITS = 0o111;

/**
 * Mounts each path at the same path, read-only. For a program in `node_modules`, mounts the
 * outermost such folder.
 *
 * Containers can run host programs only on Linux.
 */
export function containerPrograms(
  readonlyPaths: readonly string[],
  visiblePaths: readonly string[],
): ContainerPrograms {
  if (process.platform !== 'linux') return { mounts: [], executables: [] };
  const isVisible = (path: string): boolean =>
    visiblePaths.some((root) => path === root || path.startsWith(`${root}/`));
  const roots = new Set(readonlyPaths.map(packageRoot).filter((path) => !isVisible(path)));
  return {
    mounts: [...roots].map((path) => ({
      hostPath: path,
      sandboxPath: path,
      readonly: true,
      isLabelled: false,
    })),
    executables: readonlyPaths.filter(isExecutable),
  };
}

function isExecutable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & EXECUTABLE_BITS) !== 0;
}
