/**
 * Files at paths that the caller chose: prompts, schemas, logs, recordings, results.
 *
 * Such a path can lie in a checkout, where a repository or a guest could place a symlink at it.
 * Below a checkout's top folder no symlink is followed. Outside of checkouts every path is allowed,
 * including pipes and devices.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { mkdir, open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { assertRegularBelow, openRegularFile, readRegularFile, type OpenMode } from './open-regular-file.ts';
import { readRegularFileSync } from './regular-file-sync.ts';
import { failedRead, hasCode } from './storage-error.ts';

const FILE_MODE = 0o600;
const FLAGS = {
  read: 'r',
  append: 'a',
  'append-read': 'a+',
  create: 'wx',
  overwrite: 'w',
} as const satisfies Record<OpenMode, string>;

/**
 * Opens a file. New files have mode 0600. Missing folders are created for writing. The caller
 * closes the handle.
 *
 * @throws RepositoryError `unsafe-path`; other file system errors unchanged
 */
export async function openChosenFile(path: string, mode: OpenMode): Promise<FileHandle> {
  const full = resolve(path);
  const root = checkoutOf(full);
  const makesFolders = mode !== 'read';
  if (root !== undefined) return openRegularFile({ root, path: full, mode, makesFolders });
  try {
    return await open(full, FLAGS[mode], FILE_MODE);
  } catch (error) {
    if (!makesFolders || !hasCode(error, 'ENOENT')) {
      throw mode === 'read' ? failedRead(error) : error;
    }
    await mkdir(dirname(full), { recursive: true });
    return open(full, FLAGS[mode], FILE_MODE);
  }
}

/**
 * Replaces the content of a file, or creates it.
 *
 * @throws RepositoryError `unsafe-path`; other file system errors unchanged
 */
export async function writeChosenFile(path: string, text: string): Promise<void> {
  await using file = await openChosenFile(path, 'overwrite');
  await file.writeFile(text);
}

/**
 * Reads a text file.
 *
 * @throws RepositoryError `unsafe-path`, also for a file above `maxBytes`; other file system errors
 *   unchanged
 */
export async function readChosenFile(path: string, maxBytes: number): Promise<string> {
  const full = resolve(path);
  const root = checkoutOf(full);
  const content = root === undefined ? undefined : await readRegularFile({ root, path: full, maxBytes });
  // Also used for a missing file, so that the error names the path.
  return (content ?? (await readFile(full))).toString();
}

/**
 * Reads a text file synchronously, for callers that cannot wait. Each component is checked before
 * the file is opened.
 *
 * @throws RepositoryError `unsafe-path`, also for a file above `maxBytes`; other file system errors
 *   unchanged
 */
export function readChosenFileSync(path: string, maxBytes: number): string {
  const full = resolve(path);
  const root = checkoutOf(full);
  if (root === undefined) return readFileSync(full, 'utf8');
  assertRegularBelow({ root, path: full, maxBytes });
  const content = readRegularFileSync(full, { maxBytes });
  // The file is missing or unreadable, and this call throws the error of the file system.
  return (content ?? readFileSync(full)).toString();
}

/**
 * Returns the innermost checkout that contains a path and is not reached through a symlink of an
 * outer checkout.
 */
function checkoutOf(path: string): string | undefined {
  let current = parse(path).root;
  let checkout: string | undefined;
  for (const part of relative(current, dirname(path)).split(sep)) {
    current = join(current, part);
    const found = lstatSync(current, { throwIfNoEntry: false });
    if (found === undefined || (checkout !== undefined && found.isSymbolicLink())) return checkout;
    if (lstatSync(join(current, '.git'), { throwIfNoEntry: false }) !== undefined) checkout = current;
  }
  return checkout;
}
