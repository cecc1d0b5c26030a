/**
 * Sync from the sandbox to the host: pack changes inside, save the bundle on the host, verify it,
 * and apply it to the worktree. The saved bundle is deleted only after everything is applied.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { ensureStateFolder, repositoryStateFolder } from '@truecast/host/internal/state-folder';
import type { GitHandOver } from '../../ports/own-git.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import { applyWork } from './apply-work.ts';
import { fetchOut, printedBytes, runInside, type GuestMachine } from './guest-machine.ts';
import { archiveScript, lookScript, packScript } from './guest-scripts.ts';
import { readGuestState, type RemoteWorktreeState, fingerprint, type SyncedState } from './guest-state.ts';
import type { HostWorktree } from './host-worktree.ts';
import type { LeftOut } from './outside-links.ts';
import { receiveBundle } from './receive-bundle.ts';

export interface BringBackOptions {
  readonly host: HostWorktree;
  readonly machine: GuestMachine;
  readonly travelFolder: string;
  readonly before: SyncedState;
}

/** Result of `bringBack`. `isSaved`: the host has all the work, but not in the worktree. */
export type BroughtBack =
  | ({ readonly success: true; readonly state: SyncedState } & GitHandOver)
  | { readonly success: false; readonly error: SandboxError; readonly isSaved: boolean };

/** Transfers all changes since the last sync to the host. */
export async function bringBack(options: BringBackOptions): Promise<BroughtBack> {
  const { machine, before } = options;
  const place = machine.handle.worktreePath;
  let guest: RemoteWorktreeState;
  try {
    guest = readGuestState((await runInside(machine, lookScript(place), '/')).stdout);
  } catch (error) {
    return saveAsArchive(options, error);
  }
  if (fingerprint(guest) === before.seen) {
    return { success: true, state: before, recovered: [], warnings: [] };
  }
  const saved = await newRecoveredFolder(options);
  const bundlePath = join(saved.folder, 'work.bundle');
  try {
    await packAndFetch(options, guest, bundlePath);
  } catch (error) {
    await rmdir(saved.folder).catch(() => undefined);
    return failure(machine, error, undefined);
  }
  try {
    return await unpackAndApply(options, guest, { ...saved, bundlePath });
  } catch (error) {
    return failure(machine, error, bundlePath);
  }
}

interface RecoveredFolder {
  readonly folder: string;
  readonly id: string;
}

async function newRecoveredFolder({ host }: BringBackOptions): Promise<RecoveredFolder> {
  const parent = ensureStateFolder(repositoryStateFolder(host.paths.commonDir), 'recovered');
  const id = `${new Date().toISOString().replaceAll(/[-:]|\..*$/gu, '')}-${randomBytes(4).toString('hex')}`;
  const folder = join(parent, id);
  await mkdir(folder);
  return { folder, id };
}

async function packAndFetch(
  { machine, travelFolder, before }: BringBackOptions,
  guest: RemoteWorktreeState,
  hostPath: string,
): Promise<void> {
  const path = posix.join(travelFolder, 'out.bundle');
  const packed = await runInside(
    machine,
    packScript({
      worktreePath: machine.handle.worktreePath,
      bundlePath: path,
      carrierSha: guest.carrierSha,
      known: before.tips,
    }),
    '/',
  );
  await fetchOut(machine, { path, hostPath, bytes: printedBytes(packed) });
}

async function unpackAndApply(
  options: BringBackOptions,
  guest: RemoteWorktreeState,
  { folder, id, bundlePath }: RecoveredFolder & { readonly bundlePath: string },
): Promise<BroughtBack> {
  const { host, before } = options;
  const received = await receiveBundle(host, { bundlePath, folder, id, known: before.tips });
  try {
    const { state, leftOut, recovered, warnings } = await applyWork({ host, before, guest, folder, id });
    const told = [...warnings, ...(await tellLeftOut(options, leftOut, folder))];
    await rm(bundlePath);
    // Fails if the folder contains an archive. The archive is then kept.
    await rmdir(folder).catch(() => undefined);
    return { success: true, state, recovered, warnings: told };
  } finally {
    await received.release();
  }
}

async function tellLeftOut(
  options: BringBackOptions,
  { links, repositories }: LeftOut,
  folder: string,
): Promise<string[]> {
  const told = links.map(
    ({ path, target }) =>
      `The link \`${cut(path)}\` was not copied to the host, because its target is outside of the worktree: \`${cut(target)}\`.`,
  );
  if (repositories.length === 0) return told;
  const hostPath = join(folder, 'repositories.tar.gz');
  await fetchArchive(options, hostPath, repositories);
  const names = repositories.map((path) => `\`${cut(path)}\``).join(', ');
  return [
    ...told,
    `${names}: a nested repository, which git does not transfer. It was saved as \`${hostPath}\`.`,
  ];
}

async function fetchArchive(
  { machine, travelFolder }: BringBackOptions,
  hostPath: string,
  paths: readonly string[],
): Promise<void> {
  const path = posix.join(travelFolder, 'files.tar.gz');
  const packed = await runInside(machine, archiveScript(machine.handle.worktreePath, path, paths), '/');
  await fetchOut(machine, { path, hostPath, bytes: printedBytes(packed) });
  await runInside(machine, `rm -f -- ${quoteArgument(path)}`, '/');
}

/** If git fails inside, the files are saved as an archive. */
async function saveAsArchive(options: BringBackOptions, cause: unknown): Promise<BroughtBack> {
  const { folder } = await newRecoveredFolder(options);
  const hostPath = join(folder, 'files.tar.gz');
  try {
    await fetchArchive(options, hostPath, ['.']);
    return failure(options.machine, cause, hostPath);
  } catch {
    await rmdir(folder).catch(() => undefined);
    return failure(options.machine, cause, undefined);
  }
}

function failure({ name }: GuestMachine, cause: unknown, savedPath: string | undefined): BroughtBack {
  const why = cut(cause instanceof Error ? cause.message : String(cause));
  const what = `The work in the sandbox \`${name}\` could not be copied to the host: ${why}`;
  const next =
    savedPath === undefined
      ? 'The sandbox is still running, because it holds the only copy. Fetch the work from there, then stop it.'
      : `All work is saved as \`${savedPath}\`; ${howToOpen(savedPath)}.`;
  const error = new SandboxError(`${what} ${next}`, { code: 'sync', cause });
  return { success: false, error, isSaved: savedPath !== undefined };
}

function howToOpen(savedPath: string): string {
  const path = quoteArgument(savedPath);
  return savedPath.endsWith('.bundle')
    ? `\`git fetch ${path} '+refs/*:refs/recovered/*'\` shows its branches, and uncommitted files as \`refs/recovered/truecast/carrier\``
    : `\`tar -xzf ${path}\` shows its files`;
}
