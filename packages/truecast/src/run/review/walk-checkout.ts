/**
 * Walk over a checkout: folder by folder, limited, without following links. Its paths are relative, in
 * Latin-1, because names need not be UTF-8.
 */
import { readdirSync, type Dirent } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

const MAX_ENTRIES = 1_000_000;
/**
 * The walk is synchronous, which is several times faster. It yields to the event loop after this
 * number of entries.
 */
const ENTRIES_PER_SLICE = 4_000;

/** Inspects the entries of a folder. Returns the folders to enter, or undefined to end the walk. */
export type VisitFolder = (folder: string, entries: readonly Dirent[]) => readonly string[] | undefined;

/**
 * Visits the top folder (`''`) and the folders that the visits return. Returns false if a visit ended
 * the walk, or if the checkout has more entries than the walk inspects.
 */
export async function walkCheckout(root: string, visit: VisitFolder): Promise<boolean> {
  const folders = [''];
  let seen = 0;
  let slice = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = readFolder(root, folder);
    seen += entries.length;
    slice += entries.length;
    const found = seen > MAX_ENTRIES ? undefined : visit(folder, entries);
    if (found === undefined) return false;
    for (const path of found) folders.push(path);
    if (slice < ENTRIES_PER_SLICE) continue;
    slice = 0;
    await setImmediate();
  }
  return true;
}

/** Returns the entries of a folder. Empty for one that was removed, or that this user cannot read. */
export function readFolder(root: string, folder: string): readonly Dirent[] {
  try {
    return readdirSync(toSystemPath(root, folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return [];
  }
}

export function pathOfEntry(folder: string, { name }: Dirent): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Converts a path of the walk for the file system. */
export function toSystemPath(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

const ASCII = /^[ -~]*$/u;

/** Converts a path of the walk to text. */
export function toShownPath(path: string): string {
  // ASCII is the same in both encodings. Converting every path of a large checkout takes time.
  if (ASCII.test(path)) return path;
  return Buffer.from(path, 'latin1').toString('utf8');
}
