/**
 * Host resources of a container, created before its start. If a later step fails, all of them are
 * freed.
 */
import { randomUUID } from 'node:crypto';
import { chmod, chown, lchown, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { thisProcess } from '../../process/process-identity.ts';
import { gitConfigInside, guestEnvironment, withoutSecrets } from '../bubblewrap/environment.ts';
import { openGuestGit, type GuestGit } from '../../guest-git/guest-git.ts';
import { guestGitOptions } from '../shared/guest-git-options.ts';
import { writable } from '../../ports/guest-bind.ts';
import { resolveMounts } from '../shared/mounts.ts';
import { defaultEgress } from '../egress/egress-policy.ts';
import { startEgress, type SandboxEgress } from '../egress/start-egress.ts';
import { ensureTruecastFolder } from '../../support/truecast-folder.ts';
import { hideOwnFolder } from '../shared/hide-own-folder.ts';
import type { SandboxCreateOptions, SandboxExecOptions } from '../../ports/sandbox-provider.ts';
import { CONTAINER_HOME, type ContainerLayout } from './container-arguments.ts';
import type { EngineName } from './container-engine.ts';
import {
  createContainerFolder,
  PROGRAM_FOLDER,
  withoutDuplicates,
  type ContainerFolder,
  type ContainerMount,
  containerPrograms,
} from './container-folder.ts';
import { assertImageUser, defaultImageName, inspectImage, type ContainerImage } from './container-image.ts';
import { readEngineLimits } from './container-limits.ts';
import type { ContainerOptions } from './container-options.ts';
import { containerUser, type UserOptions } from './container-user.ts';

export type EngineOptions = ContainerOptions & UserOptions;

export interface PreparedContainer {
  readonly layout: ContainerLayout;
  /** Private folder on the host, for files of the engine. */
  readonly hostFolder: string;
  readonly egress: SandboxEgress;
  /** The guest's private git directory. */
  readonly guestGit: GuestGit | undefined;
  /** Writes the environment file of one command while `task` runs. `task` gets its id. */
  withEnvironment<T>(
    options: Pick<SandboxExecOptions, 'env' | 'isAgent'>,
    task: (id: string) => Promise<T>,
  ): Promise<T>;
  readonly free: () => Promise<void>;
}

export async function prepareContainer(
  engine: EngineName,
  created: SandboxCreateOptions,
  options: EngineOptions,
): Promise<PreparedContainer> {
  const call = created.signal === undefined ? {} : { signal: created.signal };
  // Checked first for a clear message. An engine would create the missing folder.
  await realpath(created.worktreePath);
  const [image, limits] = await Promise.all([
    inspectImage(engine, options.imageName ?? defaultImageName(created.hostRepoPath), call),
    readEngineLimits(engine, call),
  ]);
  const user = await containerUser(engine, options, call);
  assertImageUser(engine, image, user.uid);
  const egress = await startEgress({
    policy: options.egress ?? defaultEgress(created),
    modelAccess: created.modelAccess,
    ...(options.onModelRequest !== undefined && { onModelRequest: options.onModelRequest }),
  });
  let folder: ContainerFolder | undefined;
  let guestGit: GuestGit | undefined;
  const free = async (): Promise<void> => {
    await egress.close();
    await folder?.remove();
    await guestGit?.close();
  };
  try {
    folder = await createContainerFolder();
    const { git, worktreePath } = created;
    const gitOptions = guestGitOptions(created, user.uid);
    if (gitOptions !== undefined) guestGit = await openGuestGit(gitOptions);
    // A container's hidden paths are fixed at its start. Folders that are created later would be
    // visible.
    if (git !== undefined && git.gitDir === git.commonDir) ensureTruecastFolder(worktreePath, 'worktrees');
    const { binds, forwarder } = egress.inside(true);
    const mounts = await mountsOf(created, options, { folder, binds, guestGit });
    const isOther = user.userns === undefined && user.uid !== process.getuid?.();
    const isOwn = ({ hostPath }: ContainerMount): boolean => folder?.owns(hostPath) === true;
    if (isOther) await giveAway({ mounts: mounts.filter(isOwn), sockets: binds, guestGit }, user);
    return {
      layout: {
        engine,
        name: `truecast-${randomUUID()}`,
        imageName: image.name,
        user,
        worktreePath,
        mounts,
        isCutOff: egress.isCutOff,
        forwarder,
        host: thisProcess(),
        limits,
      },
      hostFolder: dirname(folder.emptyFilePath),
      egress,
      guestGit,
      withEnvironment: await environmentsOf(created, options, { folder, egress, image, guestGit }),
      free,
    };
  } catch (error) {
    await free();
    throw error;
  }
}

async function mountsOf(
  created: SandboxCreateOptions,
  options: EngineOptions,
  {
    folder,
    binds,
    guestGit,
  }: {
    readonly folder: ContainerFolder;
    readonly binds: ReturnType<SandboxEgress['inside']>['binds'];
    readonly guestGit: GuestGit | undefined;
  },
): Promise<readonly ContainerMount[]> {
  const { worktreePath, hostRepoPath, readonlyPaths = [] } = created;
  const bases = { hostRepoPath, worktreePath, homePath: CONTAINER_HOME };
  const own = await folder.makeMounts([
    ...(guestGit?.binds ?? [writable(worktreePath)]),
    ...hideOwnFolder({
      worktreePath,
      isCheckout: guestGit !== undefined,
      emptyFilePath: folder.emptyFilePath,
    }),
  ]);
  const given = resolveMounts([...created.mounts, ...(options.mounts ?? [])], bases);
  const programs = containerPrograms(readonlyPaths, [
    worktreePath,
    ...given.map(({ sandboxPath }) => sandboxPath),
  ]);
  await folder.linkPrograms(programs.executables);
  return withoutDuplicates([
    ...programs.mounts,
    ...given.map((mount) => ({ ...mount, isLabelled: true })),
    ...own,
    ...folder.mounts,
    ...binds.map(([hostPath, sandboxPath]) => ({ hostPath, sandboxPath, readonly: true, isLabelled: true })),
  ]);
}

async function environmentsOf(
  created: SandboxCreateOptions,
  options: EngineOptions,
  {
    folder,
    egress,
    image,
    guestGit,
  }: {
    readonly folder: ContainerFolder;
    readonly egress: SandboxEgress;
    readonly image: ContainerImage;
    readonly guestGit: GuestGit | undefined;
  },
): Promise<PreparedContainer['withEnvironment']> {
  const gitConfig = gitConfigInside(guestGit?.identity);
  // The image's programs take precedence, because they fit its system.
  const path = `${image.path}:${PROGRAM_FOLDER}`;
  const access = egress.carriedAccess;
  return async ({ env = {}, isAgent = false }, task) => {
    const all = { ...options.env, ...created.env, ...env };
    const given = access === undefined ? all : withoutSecrets(all, access);
    const variables = guestEnvironment({ homePath: CONTAINER_HOME, path, given, gitConfig });
    const id = await folder.writeEnvironment({ ...variables, ...egress.inside(isAgent).environment });
    try {
      return await task(id);
    } finally {
      await folder.removeEnvironment(id);
    }
  };
}

/**
 * Changes the owner of files to a guest with another user id on the host. The files are in folders
 * that only this process's user can enter.
 */
async function giveAway(
  { mounts, sockets, guestGit }: Given,
  user: { readonly uid: number; readonly gid: number },
): Promise<void> {
  await Promise.all(
    sockets.filter(([path]) => path.endsWith('.sock')).map(([path]) => chmod(path, SOCKET_MODE)),
  );
  if (process.getuid?.() !== 0) return;
  await Promise.all(
    mounts.filter(({ readonly }) => !readonly).map(({ hostPath }) => chown(hostPath, user.uid, user.gid)),
  );
  if (guestGit !== undefined) await chownTree(guestGit.path, user);
}

interface Given {
  readonly mounts: readonly ContainerMount[];
  readonly sockets: readonly (readonly [hostPath: string, sandboxPath: string])[];
  readonly guestGit: GuestGit | undefined;
}

/** Changes the owner of a new folder and its contents to the guest. */
async function chownTree(path: string, owner: { readonly uid: number; readonly gid: number }): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  const paths = [path, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
  await Promise.all(paths.map((one) => lchown(one, owner.uid, owner.gid)));
}

const SOCKET_MODE = 0o666;
