/** Snapshot of a hooks folder, and its restoration. */
import { chmod, lstat, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { quarantine, QUARANTINE_SUFFIX, restore, type Finding } from './quarantine.ts';

interface Hook {
  readonly content: Buffer;
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
  const names = await readdir(folder).catch(() => []);
  const read = await Promise.all(
    names.filter(isHookName).map(async (name) => [name, await readHook(join(folder, name))] as const),
  );
  const hooks = new Map(read.filter((entry): entry is [string, Hook] => entry[1] !== undefined));
  const isSymlink = (await lstat(folder).catch(() => undefined))?.isSymbolicLink() === true;
  return { folder, isSymlink, hooks };
}

/** Moves added or changed hooks aside, and restores the original ones. */
export async function restoreHooks(before: HooksSnapshot): Promise<Finding[]> {
  const findings: Finding[] = [];
  const after = await snapshotHooks(before.folder);
  if (after.isSymlink && !before.isSymlink) {
    findings.push(await quarantine(before.folder, 'was made a symbolic link'));
    await mkdir(before.folder, { recursive: true });
    return [...findings, ...(await restoreHooks(before))];
  }
  for (const [name, hook] of before.hooks) {
    const now = after.hooks.get(name);
    if (now !== undefined && now.mode === hook.mode && now.content.equals(hook.content)) continue;
    const path = join(before.folder, name);
    findings.push(
      await restore(path, hook.content, now === undefined ? 'was removed' : 'was changed', hook.mode),
    );
    // The umask reduces the mode at creation.
    await chmod(path, hook.mode);
  }
  for (const name of after.hooks.keys()) {
    if (before.hooks.has(name)) continue;
    findings.push(await quarantine(join(before.folder, name), 'is a hook that was not there'));
  }
  return findings;
}

/** Returns true if a folder contains a file that git would run as a hook. */
export async function holdsHooks(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some(isHookName);
}

function isHookName(name: string): boolean {
  return !name.endsWith('.sample') && !name.includes(QUARANTINE_SUFFIX);
}

async function readHook(path: string): Promise<Hook | undefined> {
  const found = await stat(path).catch(() => undefined);
  // A broken symlink or a folder cannot run. Its name is taken, which counts as a change.
  if (found?.isFile() !== true) return { content: Buffer.alloc(0), mode: 0 };
  return { content: await readFile(path), mode: found.mode & 0o777 };
}
