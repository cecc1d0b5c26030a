/** Snapshot of a hooks folder, and its restoration. */
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { quarantine, QUARANTINE_SUFFIX, restore, type GuestChange } from '../command/quarantine.ts';

/** Maximum size of a hook whose content is kept. A larger one can be renamed, but not restored. */
const MAX_HOOK_BYTES = 16 * 1024 * 1024;

interface Hook {
  /** Undefined for a folder, a broken symlink, a pipe, a device, and a file above the limit. */
  readonly content: Buffer | undefined;
  /** Changes with the file, or with the target of a symlink. Does not contain the content. */
  readonly state: string;
  readonly mode: number;
}

/** Files of a hooks folder, by name. Git's samples are never run and do not count. */
export interface HooksSnapshot {
  readonly folder: string;
  readonly isSymlink: boolean;
  readonly hooks: ReadonlyMap<string, Hook>;
}

/** Reads a hooks folder. It can be missing. */
export async function snapshotHooks(folder: string): Promise<HooksSnapshot> {
  const hooks = new Map<string, Hook>();
  for (const name of await listHooks(folder)) {
    const hook = readHook(join(folder, name));
    if (hook !== undefined) hooks.set(name, hook);
  }
  return { folder, isSymlink: isSymlink(folder), hooks };
}

/** Renames added or changed hooks, and restores the original ones. */
export async function restoreHooks(before: HooksSnapshot): Promise<GuestChange[]> {
  const { folder } = before;
  if (isSymlink(folder) && !before.isSymlink) {
    const moved = await quarantine(folder, 'was replaced by a symbolic link');
    await mkdir(folder, { recursive: true });
    return [moved, ...(await restoreHooks(before))];
  }
  const names = await listHooks(folder);
  const findings: GuestChange[] = [];
  for (const [name, hook] of before.hooks) {
    const finding = await restoreHook(join(folder, name), hook);
    if (finding !== undefined) findings.push(finding);
  }
  for (const name of names.filter((one) => !before.hooks.has(one))) {
    findings.push(await quarantine(join(folder, name), 'is a new hook'));
  }
  return findings;
}

async function restoreHook(path: string, hook: Hook): Promise<GuestChange | undefined> {
  const state = stateOf(path);
  // The target of a new symlink is not read: only the state before the agent is trusted.
  const now = state === hook.state ? readHook(path) : undefined;
  if (now !== undefined && isSameContent(now.content, hook.content)) return undefined;
  const what = state === undefined ? 'was removed' : 'was changed';
  if (hook.content === undefined) return quarantine(path, what);
  const finding = await restore(path, hook.content, what, hook.mode);
  // The umask reduces the mode at creation.
  await chmod(path, hook.mode);
  return finding;
}

function isSameContent(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

/** Returns true if a folder contains a file that git would run as a hook. */
export async function holdsHooks(folder: string): Promise<boolean> {
  return (await listHooks(folder)).length > 0;
}

async function listHooks(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => !name.endsWith('.sample') && !name.includes(QUARANTINE_SUFFIX));
}

function readHook(path: string): Hook | undefined {
  const state = stateOf(path);
  if (state === undefined) return undefined;
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  // A user's hook can be a symlink. Its target is opened only if it is a regular file.
  const content = readRegularFileSync(path, { maxBytes: MAX_HOOK_BYTES, followsLink: true });
  return { content, state, mode };
}

/** Undefined if nothing has this name. */
function stateOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return `link:${readlinkSync(path)}`;
  const isReadable = found.isFile() && found.size <= MAX_HOOK_BYTES;
  return isReadable ? `file:${found.mode}` : `other:${found.mode}:${found.ino}:${found.size}`;
}

function isSymlink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
