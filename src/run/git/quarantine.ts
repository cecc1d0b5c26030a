/** Owns moving aside what a guest planted: nothing that it wrote is deleted, and nothing of it is run. */
import { lstat, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What a guest changed, and what was done about it. */
export interface Finding {
  readonly path: string;
  /** What was found, as the rest of a sentence about `path`. */
  readonly what: string;
  /** `restored`: as it was before, the guest's version moved aside; `quarantined`: moved aside; `kept`: harmless, told only. */
  readonly action: 'restored' | 'quarantined' | 'kept';
  /** Where the guest's version is now. */
  readonly movedTo?: string;
}

/** Is appended to the name of what is moved aside. */
export const QUARANTINE_SUFFIX = '.truecast-quarantined';

/** Moves a file, folder or link aside, and returns where it is now; undefined when there is none. */
async function moveAside(path: string): Promise<string | undefined> {
  if (!(await isThere(path))) return undefined;
  for (let number = 1; ; number += 1) {
    const target = `${path}${QUARANTINE_SUFFIX}${number === 1 ? '' : `-${number}`}`;
    if (await isThere(target)) continue;
    await rename(path, target);
    return target;
  }
}

/** Moves a guest's file aside and says so. */
export async function quarantine(path: string, what: string): Promise<Finding> {
  const movedTo = await moveAside(path);
  return { path, what, action: 'quarantined', ...(movedTo !== undefined && { movedTo }) };
}

/** Moves a guest's version aside, writes the file as it was, and says so. */
export async function restore(
  path: string,
  content: string | Uint8Array,
  what: string,
  mode = 0o644,
): Promise<Finding> {
  const movedTo = await moveAside(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content, { flag: 'wx', mode });
  return { path, what, action: 'restored', ...(movedTo !== undefined && { movedTo }) };
}

/** Tells whether there is anything at `path`, a broken link included. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
