/**
 * Control groups (cgroups) of the kernel: limit the processes and the memory of all commands of a
 * sandbox together.
 *
 * With cgroups v1 a group is created below this process's own one. With v2 it is created next to
 * it, because v2 allows no processes in a group that divides its limits. A process is moved before
 * it starts another. If the kernel does not allow the move, no group is used.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';
import { hostEnvironment } from '../../support/search-path.ts';
import { readIfPresent } from './system.ts';
import { hasCode } from '../../support/storage-error.ts';

export interface ControlGroup {
  /**
   * Moves a process that has not started another into the group. An ended process is not an error.
   */
  adopt(pid: number): Promise<void>;
  /** Removes the group after its processes have ended. */
  remove(): Promise<void>;
}

export interface ControlGroupLimits {
  readonly pids: number;
  readonly memoryBytes: number;
}

/** A folder in which groups are created, and the names of their settings. */
export interface ControlGroupParent {
  readonly folder: string;
  readonly settings: Readonly<Record<string, keyof ControlGroupLimits>>;
  /** Settings of this process's own group. A group next to it must not exceed them. */
  readonly own: string | undefined;
}

const ROOT = '/sys/fs/cgroup';
const PREFIX = 'truecast-';
const REMOVE_TRIES = 100;
const REMOVE_PAUSE_MS = 25;

let probed: Promise<boolean> | undefined;

/**
 * Returns true if groups can be created here, by moving a process into one. Tested once per
 * process.
 */
export function hasControlGroups(): Promise<boolean> {
  probed ??= probe();
  return probed;
}

/** Creates a group. Undefined if this process cannot create one. */
export async function createControlGroup(limits: ControlGroupLimits): Promise<ControlGroup | undefined> {
  return (await hasControlGroups()) ? openGroup(findParents(), limits) : undefined;
}

/**
 * Moves this process into its current group, which changes nothing. After a pause, the first move
 * waits about 10 ms for a grace period (RCU). Moves directly after it do not wait. Call this before
 * a sandbox is prepared, so that the wait overlaps. A failure only means that the next move waits.
 */
export async function quickenMoves(): Promise<void> {
  if (!(await hasControlGroups())) return;
  const [parent] = findParents();
  if (parent === undefined) return;
  const group = join(parent.own ?? parent.folder, 'cgroup.procs');
  await writeFile(group, String(process.pid)).catch(() => undefined);
}

/** Returns the folders in which groups can be created. Empty without the controllers. */
export function findParents(
  root: string = ROOT,
  membership: string = readIfPresent('/proc/self/cgroup'),
): readonly ControlGroupParent[] {
  const lines = membership.split('\n').map((line) => line.split(':'));
  const pathOf = (controller: string): string | undefined =>
    lines
      .find(([, names]) => names?.split(',').includes(controller) === true)
      ?.slice(2)
      .join(':');
  const unified = pathOf('');
  if (unified !== undefined && readIfPresent(join(root, 'cgroup.controllers')) !== '') {
    const own = join(root, unified);
    const folder = unified === '/' ? own : dirname(own);
    const shared = readIfPresent(join(folder, 'cgroup.subtree_control')).split(/\s+/u);
    if (!shared.includes('pids') || !shared.includes('memory')) return [];
    const settings = { 'pids.max': 'pids', 'memory.max': 'memoryBytes' } as const;
    return [{ folder, settings, own: folder === own ? undefined : own }];
  }
  const [pids, memory] = [pathOf('pids'), pathOf('memory')];
  if (pids === undefined || memory === undefined) return [];
  return [
    { folder: join(root, 'pids', pids), settings: { 'pids.max': 'pids' }, own: undefined },
    {
      folder: join(root, 'memory', memory),
      settings: { 'memory.limit_in_bytes': 'memoryBytes' },
      own: undefined,
    },
  ];
}

async function probe(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const parents = findParents();
  if (parents.length === 0) return false;
  try {
    for (const { folder } of parents) removeDeadGroups(folder);
    const group = openGroup(parents, { pids: 16, memoryBytes: 64 * 1024 * 1024 });
    try {
      return await canAdopt(group);
    } finally {
      await group.remove();
    }
  } catch {
    return false;
  }
}

/** Tests the move with a program that waits for the end of its stdin. */
async function canAdopt(group: ControlGroup): Promise<boolean> {
  const child = withPrivateDescriptors(3, (covers) =>
    spawn('cat', [], { env: hostEnvironment(), stdio: ['pipe', 'ignore', 'ignore', ...covers] }),
  );
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    if (child.pid === undefined) return false;
    await group.adopt(child.pid);
    return readIfPresent(`/proc/${child.pid}/cgroup`).includes(PREFIX);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

function openGroup(parents: readonly ControlGroupParent[], limits: ControlGroupLimits): ControlGroup {
  const name = `${PREFIX}${process.pid}-${randomUUID()}`;
  const folders = parents.map(({ folder }) => join(folder, name));
  const make = (): void => {
    for (const [index, { settings, own }] of parents.entries()) {
      const folder = folders[index] ?? '';
      mkdirSync(folder, { recursive: true });
      for (const [setting, limit] of Object.entries(settings)) {
        const value = Math.min(limits[limit], ownLimit(own, setting));
        writeFileSync(join(folder, setting), String(value));
        if (limit === 'memoryBytes') limitSwap(folder, value);
      }
    }
  };
  make();
  return {
    async adopt(pid) {
      try {
        await Promise.all(folders.map((folder) => moveInto(folder, pid)));
      } catch (error) {
        // Another process removed the empty group, for example one in a container that cannot see
        // this process.
        if (!hasCode(error, 'ENOENT')) throw error;
        make();
        await Promise.all(folders.map((folder) => moveInto(folder, pid)));
      }
    },
    async remove() {
      for (const folder of folders) await removeGroup(folder);
    },
  };
}

/**
 * Counts swapped memory too: without this, a guest can also fill the host's swap. A kernel without
 * accounting of swap has neither file.
 */
function limitSwap(folder: string, memoryBytes: number): void {
  const settings = { 'memory.swap.max': 0, 'memory.memsw.limit_in_bytes': memoryBytes };
  for (const [setting, value] of Object.entries(settings)) {
    if (existsSync(join(folder, setting))) writeFileSync(join(folder, setting), String(value));
  }
}

/** Returns the limit of this process's own group. A group next to it allows no more. */
function ownLimit(own: string | undefined, setting: string): number {
  const value = own === undefined ? NaN : Number.parseInt(readIfPresent(join(own, setting)), 10);
  return Number.isNaN(value) ? Number.MAX_SAFE_INTEGER : value;
}

/** Asynchronous, because the kernel takes some milliseconds. */
async function moveInto(folder: string, pid: number): Promise<void> {
  try {
    await writeFile(join(folder, 'cgroup.procs'), String(pid));
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** Retries, because a group is busy for a moment after its last process was killed. */
async function removeGroup(folder: string): Promise<void> {
  for (let tries = REMOVE_TRIES; tries > 0; tries -= 1) {
    try {
      rmdirSync(folder);
      return;
    } catch (error) {
      if (!hasCode(error, 'EBUSY')) return;
    }
    await delay(REMOVE_PAUSE_MS);
  }
}

/**
 * Removes groups of processes that were killed before they could remove them. Only an empty group
 * can be removed.
 */
function removeDeadGroups(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`, 'u').exec(name)?.[1] ?? NaN);
    if (Number.isNaN(pid) || readIfPresent(`/proc/${pid}/stat`) !== '') continue;
    try {
      rmdirSync(join(folder, name));
    } catch {
      // In use, or owned by another user.
    }
  }
}
