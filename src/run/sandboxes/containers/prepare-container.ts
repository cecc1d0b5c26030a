/** Owns making what a container needs on the host before it starts; all of it is freed when a later step fails. */
import { randomUUID } from 'node:crypto';
import { chmod, chown, realpath } from 'node:fs/promises';
import { thisProcess } from '../../git/process-identity.ts';
import { guestEnvironment, readGitConfig, withoutSecrets } from '../bubblewrap/environment.ts';
import { prepareGitPaths, worktreeBinds } from '../bubblewrap/git.ts';
import { resolveMount } from '../bubblewrap/mounts.ts';
import { startEgress, type SandboxEgress } from '../egress/start-egress.ts';
import { ensureTruecastFolder } from '../../git/truecast-folder.ts';
import { hideOwnFolder } from '../hide-own-folder.ts';
import { linksOf } from '../inspect-git-paths.ts';
import type { SandboxCreateOptions, SandboxExecOptions } from '../sandbox-provider.ts';
import { CONTAINER_HOME, type ContainerLayout } from './container-arguments.ts';
import type { EngineName } from './container-engine.ts';
import {
  createContainerFolder,
  PROGRAM_FOLDER,
  withoutDuplicates,
  type ContainerFolder,
  type ContainerMount,
} from './container-folder.ts';
import { assertImageUser, defaultImageName, inspectImage, type ContainerImage } from './container-image.ts';
import type { ContainerOptions } from './container-options.ts';
import { containerPrograms } from './container-programs.ts';
import { containerUser, type UserOptions } from './container-user.ts';

/** Options of either engine. */
export type EngineOptions = ContainerOptions & UserOptions;

/** A container that is ready to be started. */
export interface PreparedContainer {
  readonly layout: ContainerLayout;
  readonly egress: SandboxEgress;
  /** Links that git's folders held before any guest. */
  readonly knownLinks: ReadonlySet<string>;
  /** Writes the environment of one command for as long as `task` runs, which is given its id. */
  withEnvironment<T>(
    options: Pick<SandboxExecOptions, 'env' | 'isAgent'>,
    task: (id: string) => Promise<T>,
  ): Promise<T>;
  readonly free: () => Promise<void>;
}

/** Prepares a container. */
export async function prepareContainer(
  engine: EngineName,
  created: SandboxCreateOptions,
  options: EngineOptions,
): Promise<PreparedContainer> {
  const call = created.signal === undefined ? {} : { signal: created.signal };
  // Asked first for the message: an engine would make the folder.
  await realpath(created.worktreePath);
  const [image, user] = await Promise.all([
    inspectImage(engine, options.imageName ?? defaultImageName(created.hostRepoPath), call),
    containerUser(engine, options, call),
  ]);
  assertImageUser(engine, image, user.uid);
  const egress = await startEgress({
    policy: options.egress ?? 'host',
    modelAccess: created.modelAccess,
    ...(options.onModelRequest !== undefined && { onModelRequest: options.onModelRequest }),
  });
  let folder: ContainerFolder | undefined;
  const free = async (): Promise<void> => {
    await egress.close();
    await folder?.remove();
  };
  try {
    folder = await createContainerFolder();
    const { git, worktreePath } = created;
    if (git !== undefined) await prepareGitPaths(git);
    // What a container hides is settled at its start: folders that are made later would be seen.
    if (git !== undefined && git.gitDir === git.commonDir) await makeHiddenFolders(worktreePath);
    const { binds, forwarder } = egress.inside(true);
    const mounts = await mountsOf(created, options, { folder, binds });
    const isOther = user.userns === undefined && user.uid !== process.getuid?.();
    if (isOther)
      await giveAway(
        mounts.filter(({ hostPath }) => folder?.owns(hostPath) === true),
        binds,
        user,
      );
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
      },
      egress,
      knownLinks: git === undefined ? new Set() : await linksOf(git),
      withEnvironment: await environmentsOf(created, options, { folder, egress, image }),
      free,
    };
  } catch (error) {
    await free();
    throw error;
  }
}

async function makeHiddenFolders(worktreePath: string): Promise<void> {
  ensureTruecastFolder(worktreePath, 'logs');
  ensureTruecastFolder(worktreePath, 'worktrees');
}

async function mountsOf(
  created: SandboxCreateOptions,
  options: EngineOptions,
  {
    folder,
    binds,
  }: { readonly folder: ContainerFolder; readonly binds: ReturnType<SandboxEgress['inside']>['binds'] },
): Promise<readonly ContainerMount[]> {
  const { worktreePath, hostRepoPath, git, readonlyPaths = [] } = created;
  const bases = { hostRepoPath, worktreePath, homePath: CONTAINER_HOME };
  const own = await folder.makeMounts([
    ...worktreeBinds(worktreePath, git),
    ...hideOwnFolder(worktreePath, folder.emptyFilePath),
  ]);
  const given = [...created.mounts, ...(options.mounts ?? [])].map((mount) => resolveMount(mount, bases));
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
  }: { readonly folder: ContainerFolder; readonly egress: SandboxEgress; readonly image: ContainerImage },
): Promise<PreparedContainer['withEnvironment']> {
  const gitConfig = await readGitConfig(created.git);
  // The image's own programs come first: they fit its system.
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

/** What this process made for a guest who is another user outside too. Both kinds lie in folders that only this process's user can enter. */
async function giveAway(
  mounts: readonly ContainerMount[],
  sockets: readonly (readonly [hostPath: string, sandboxPath: string])[],
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Promise<void> {
  await Promise.all(
    sockets.filter(([path]) => path.endsWith('.sock')).map(([path]) => chmod(path, SOCKET_MODE)),
  );
  if (process.getuid?.() !== 0) return;
  await Promise.all(
    mounts.filter(({ readonly }) => !readonly).map(({ hostPath }) => chown(hostPath, uid, gid)),
  );
}

const SOCKET_MODE = 0o666;
