/** Owns the private folder on the host of one container: its own empty folders and links, programs' names, and environments. */
import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { quoteArgument } from '../../agents/shell-quote.ts';
import { makeTemporaryFolder, removeTree } from '../../temporary-folder.ts';
import type { GuestBind } from '../guest-bind.ts';
import { isVariableName } from './container-options.ts';

/** A host path as the engine mounts it. */
export interface ContainerMount {
  readonly hostPath: string;
  readonly sandboxPath: string;
  readonly readonly: boolean;
  /** True where the engine may set the label that SELinux asks for: not on what belongs to the host's system. */
  readonly isLabelled: boolean;
}

/** A folder that only this user can enter. */
export interface ContainerFolder {
  /** Always empty. */
  readonly emptyFilePath: string;
  /** Mounts that the folder itself needs. */
  readonly mounts: readonly ContainerMount[];
  /** Makes what is the sandbox's own of `binds`, and returns all of them as mounts. */
  makeMounts(binds: readonly GuestBind[]): Promise<readonly ContainerMount[]>;
  /** Makes links by which programs are found, by their paths. */
  linkPrograms(paths: readonly string[]): Promise<void>;
  /** Writes an environment as a shell reads it; returns its id inside. */
  writeEnvironment(variables: Readonly<Record<string, string>>): Promise<string>;
  removeEnvironment(id: string): Promise<void>;
  /** Tells whether a host path lies in this folder. */
  owns(hostPath: string): boolean;
  remove(): Promise<void>;
}

/** Where environments are seen inside. */
export const ENVIRONMENT_FOLDER = '/run/truecast/env';
/** Where programs of the host are found inside. */
export const PROGRAM_FOLDER = '/run/truecast/bin';

/** Only the outermost folder keeps others out: the guest, who may be another user, must read what is mounted of it. */
const SHARED_FOLDER_MODE = 0o755;
const GUEST_FOLDER_MODE = 0o777;

/** Makes the private folder of one container. */
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

/** Of two mounts at one path the later wins, as the engines refuse both. */
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
    if (bind.type === 'link') {
      if (place !== undefined) await symlink(bind.target, place);
      continue;
    }
    // Made here, it belongs to the caller; the engine would make it as root.
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
  const isFolder = bind.type !== 'bind' || (await lstat(bind.hostPath)).isDirectory();
  await mkdir(isFolder ? path : dirname(path), { recursive: true });
  if (!isFolder) await writeFile(path, '', { flag: 'a' });
}

/** Whatever this process's umask says. */
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
