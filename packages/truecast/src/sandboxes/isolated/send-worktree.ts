/**
 * Sync from the host to the sandbox: the worktree's branch, its uncommitted files, and ignored
 * files that the caller listed.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { quoteArgument } from '../../support/shell-quote.ts';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';
import type { SentBeside } from '../../ports/own-git.ts';
import { carryFiles, type CarriedFiles } from './carry-files.ts';
import { runInside, sendInside, type GuestMachine } from './guest-machine.ts';
import { cloneScript } from './guest-scripts.ts';
import { resolveObject, runGit, tryGit, type HostWorktree } from './host-worktree.ts';
import { fingerprint, NOTHING_STAYS, type SyncedState } from './guest-state.ts';
import { isThere } from '../../git/command/quarantine.ts';

/** Contents and destination of the setup inside. */
export interface SendOptions {
  readonly host: HostWorktree;
  readonly machine: GuestMachine;
  /** A folder inside for transfers. */
  readonly travelFolder: string;
  readonly sends: SentBeside;
}

/**
 * Sets up the worktree inside.
 *
 * @returns the state of both sides
 * @throws SandboxError `sync`; RepositoryError
 */
export async function sendWorktree(options: SendOptions): Promise<SyncedState> {
  const { host, machine, sends } = options;
  const folder = await makeTemporaryFolder('isolated');
  try {
    const carried = await carryFiles(host, folder);
    const branches = await branchesToSend(host, carried, sends.branches);
    await sendRepository(options, { folder, carried, branches });
    await sendIgnored(machine, host.paths.workTree, sends.paths);
    const { headSha, branch, filesTree } = carried;
    const tips = [...new Set([headSha, ...branches.values()])];
    const seen = fingerprint({ ...carried, ...NOTHING_STAYS, branches });
    return { headSha, branch, filesTree, branches, tips, seen, stays: NOTHING_STAYS };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function branchesToSend(
  host: HostWorktree,
  { branch, headSha }: CarriedFiles,
  names: readonly string[],
): Promise<Map<string, string>> {
  const branches = new Map<string, string>();
  for (const name of names) {
    const sha = await resolveObject(host, `refs/heads/${name}`);
    if (sha !== undefined) branches.set(name, sha);
  }
  if (branch !== undefined) branches.set(branch, headSha);
  return branches;
}

interface Outgoing {
  readonly folder: string;
  readonly carried: CarriedFiles;
  readonly branches: ReadonlyMap<string, string>;
}

async function sendRepository(options: SendOptions, outgoing: Outgoing): Promise<void> {
  const { host, machine, travelFolder } = options;
  const { carried, folder } = outgoing;
  const carrierRef = `refs/truecast/${randomUUID()}`;
  const bundlePath = posix.join(travelFolder, 'in.bundle');
  await writeBundle(host, outgoing, carrierRef);
  await sendInside(machine, join(folder, 'in.bundle'), bundlePath);
  const shallow = join(host.paths.commonDir, 'shallow');
  const shallowPath = (await isThere(shallow)) ? posix.join(travelFolder, 'shallow') : undefined;
  if (shallowPath !== undefined) await sendInside(machine, shallow, shallowPath);
  const script = cloneScript({
    ...carried,
    worktreePath: machine.handle.worktreePath,
    bundlePath,
    shallowPath,
    carrierRef,
    objectFormat: await runGit(host, ['rev-parse', '--show-object-format']),
    identity: await readIdentity(host),
  });
  const { stdout } = await runInside(machine, script, '/');
  const arrived = stdout.trim().split('\n').at(-1);
  if (arrived === carried.headSha) return;
  throw new SandboxError(
    `Expected the sandbox \`${machine.name}\` to have \`${carried.headSha}\` checked out, but it has \`${arrived ?? ''}\`. Check \`git\` in the sandbox.`,
    { code: 'start' },
  );
}

async function writeBundle(
  host: HostWorktree,
  { folder, carried, branches }: Outgoing,
  carrierRef: string,
): Promise<void> {
  // A bundle needs a reference. It exists only while the bundle is created.
  await runGit(host, ['update-ref', carrierRef, carried.carrierSha]);
  try {
    const references = [...branches.keys()].map((name) => `refs/heads/${name}`);
    await runGit(host, [
      'bundle',
      'create',
      '-q',
      join(folder, 'in.bundle'),
      'HEAD',
      carrierRef,
      ...references,
    ]);
  } finally {
    await runGit(host, ['update-ref', '-d', carrierRef]);
  }
}

async function readIdentity(host: HostWorktree): Promise<readonly (readonly [string, string])[]> {
  const keys = ['user.name', 'user.email'];
  const values = await Promise.all(keys.map((key) => tryGit(host, ['config', '--get', key])));
  return values.flatMap(({ exitCode, stdout }, index) =>
    exitCode === 0 ? [[keys[index] ?? '', stdout.replace(/\n$/u, '')] as const] : [],
  );
}

async function sendIgnored(
  machine: GuestMachine,
  worktreePath: string,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    const hostPath = join(worktreePath, path);
    if (!(await isThere(hostPath))) continue;
    const target = posix.join(machine.handle.worktreePath, path.replaceAll('\\', '/'));
    await runInside(machine, `mkdir -p -- ${quoteArgument(posix.dirname(target))}`, '/');
    await sendInside(machine, hostPath, target);
  }
}
