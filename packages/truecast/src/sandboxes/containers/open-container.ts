/** Starts a prepared container, and makes the guest's user the owner of HOME. */
import { dirname } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { SandboxCreateOptions } from '../../ports/sandbox-provider.ts';
import { CONTAINER_HOME, runArguments } from './container-arguments.ts';
import { callEngine, firstLine, type EngineName, type EngineResult } from './container-engine.ts';
import { assertMounted, LIST_MOUNTS } from '../shared/mounted-sources.ts';
import { removeDeadContainers } from './host-labels.ts';
import { prepareContainer, type EngineOptions, type PreparedContainer } from './prepare-container.ts';
import { writeSeccompProfile } from '../shared/seccomp-profile.ts';
import { startContainer } from './start-container.ts';
import { folderArchive, type Owner } from './folder-archive.ts';

export interface OpenContainer extends PreparedContainer {
  /** Ends the container. Its host resources stay until `free`. */
  stop(): Promise<void>;
}

/** Starts a container with a mounted worktree. The caller frees it. */
export async function openContainer(
  engine: EngineName,
  created: SandboxCreateOptions,
  options: EngineOptions,
): Promise<OpenContainer> {
  const prepared = await prepareContainer(engine, created, options);
  const { layout, hostFolder } = prepared;
  // Do not wait for the cleanup of earlier processes.
  const cleaning = removeDeadContainers(engine);
  const { signal } = created;
  const frees = [() => cleaning, prepared.free];
  const free = async (): Promise<void> => {
    for (const one of frees) await one();
  };
  try {
    const seccompFile = await writeSeccompProfile(layout.limits.seccompPath, hostFolder);
    const args = runArguments({ ...layout, seccompFile }, options);
    const container = await startContainer(engine, {
      name: layout.name,
      args,
      needsNode: layout.forwarder.length > 0,
      cwd: prepared.hostFolder,
      signal,
    });
    frees.unshift(container.stop);
    await assertSources(prepared, created.worktreePath, signal);
    await ownFolders(prepared, container.canWriteHome, signal);
    return { ...prepared, stop: container.stop, free };
  } catch (error) {
    await free();
    throw error;
  }
}

/** Before any command of a guest. */
async function assertSources(
  { layout: { engine, name, mounts } }: PreparedContainer,
  worktreePath: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const replaceable = mounts.filter(({ roots }) => roots !== undefined);
  if (replaceable.length === 0 || process.platform !== 'linux') return;
  const call = signal === undefined ? {} : { signal };
  const { stdout } = await callEngine(engine, ['exec', name, '/bin/sh', '-c', LIST_MOUNTS], call);
  assertMounted(stdout, replaceable, { hostPath: worktreePath, sandboxPath: worktreePath });
}

/**
 * Engines create the parent folders of a mount as root, and the image can have been built for
 * another user.
 */
async function ownFolders(
  { layout }: PreparedContainer,
  canWriteHome: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { engine, name, user, mounts } = layout;
  const above = new Set(mounts.flatMap(({ sandboxPath }) => foldersAbove(sandboxPath)));
  const folders = [...(canWriteHome ? [] : [CONTAINER_HOME]), ...[...above].toSorted()];
  if (folders.length === 0 || (canWriteHome && user.uid === 0)) return;
  const { exitCode, stderr } = await ownContainerFolders({ engine, name }, user, folders, signal);
  if (exitCode === 0 || canWriteHome) return;
  throw new SandboxError(
    `The user ${user.uid} cannot write \`${CONTAINER_HOME}\` in the image \`${layout.imageName}\`, where agents store their sessions (${firstLine(stderr)}). Build the image for this user: \`truecast ${engine} build-image --image-name ${layout.imageName}\`.`,
    { code: 'start', exitCode, stderrTail: stderr.slice(-2_000) },
  );
}

function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder.startsWith(`${CONTAINER_HOME}/`); folder = dirname(folder)) {
    folders.push(folder);
  }
  return folders;
}

const OWN = 'owner=$1; shift; for f; do mkdir -p "$f" && chown "$owner" "$f" || exit; done';

/**
 * Creates folders and sets their owner.
 *
 * Docker gets an archive, because under `no-new-privileges` its `exec` as root has no capabilities
 * in a container of another user, so it could not run `chown`.
 */
async function ownContainerFolders(
  { engine, name }: { readonly engine: EngineName; readonly name: string },
  owner: Owner,
  folders: readonly string[],
  signal: AbortSignal | undefined,
): Promise<EngineResult> {
  const call = signal === undefined ? {} : { signal };
  if (engine === 'docker') {
    return callEngine(engine, ['cp', '-', `${name}:/`], { ...call, input: folderArchive(folders, owner) });
  }
  const shell = ['/bin/sh', '-c', OWN, 'sh', `${owner.uid}:${owner.gid}`, ...folders];
  return callEngine(engine, ['exec', '--user', '0:0', name, ...shell], call);
}
