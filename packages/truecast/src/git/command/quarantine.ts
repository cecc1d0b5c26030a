/** Quarantine for files that a guest planted: they are renamed, never deleted or run. */
import { lstat, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A change by a guest, and the response to it. */
export interface GuestChange {
  readonly path: string;
  /** Description of the finding, as the rest of a sentence about `path`. */
  readonly what: string;
  /**
   * `restored`: the guest's version was renamed, and the original restored. `quarantined`: renamed
   * only. `kept`: harmless, only reported.
   */
  readonly action: 'restored' | 'quarantined' | 'kept';
  /** New path of the guest's version. */
  readonly movedTo?: string;
}

export const QUARANTINE_SUFFIX = '.truecast-quarantined';

/** Renames a file, folder or symlink, and returns its new path. Undefined if it does not exist. */
async function moveAside(path: string): Promise<string | undefined> {
  if (!(await isThere(path))) return undefined;
  for (let number = 1; ; number += 1) {
    const target = `${path}${QUARANTINE_SUFFIX}${number === 1 ? '' : `-${number}`}`;
    if (await isThere(target)) continue;
    await rename(path, target);
    return target;
  }
}

/** Renames a guest's file, and returns the finding. */
export async function quarantine(path: string, what: string): Promise<GuestChange> {
  const movedTo = await moveAside(path);
  return { path, what, action: 'quarantined', ...(movedTo !== undefined && { movedTo }) };
}

/** Renames a guest's version, restores the original file, and returns the finding. */
export async function restore(
  path: string,
  content: string | Uint8Array,
  what: string,
  mode = 0o644,
): Promise<GuestChange> {
  const movedTo = await moveAside(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content, { flag: 'wx', mode });
  return { path, what, action: 'restored', ...(movedTo !== undefined && { movedTo }) };
}

/** Returns true if `path` exists, even as a broken symlink. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
