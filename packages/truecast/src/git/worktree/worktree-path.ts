/** Paths of worktree folders: checks, and the next free name. */
import { mkdir, realpath, stat } from 'node:fs/promises';
import { isPathWithin } from '../../support/path-within.ts';

/** Returns a free path: an existing folder can contain work, so the next name is used. */
export async function freePath(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`;
    if (!(await exists(candidate))) return candidate;
  }
}

/** Returns true if a path, or its target, is below a folder. Creates the folder. */
export async function isWithinReal(folder: string, path: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const real = await realpath(path).catch(() => path);
  return isPathWithin(await realpath(folder), real) || isPathWithin(folder, path);
}

/** Returns true if a path exists. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
