/**
 * Safe file opening below a folder that repositories and guests write to.
 *
 * Follows no symlink in any component below the root: each folder is opened relative to its
 * parent's descriptor. Without `/proc/self/fd` (macOS) each component is checked before and after
 * opening instead. Named pipes, devices and sockets are rejected without blocking. Prior art:
 * openat2 `RESOLVE_NO_SYMLINKS`.
 */
import { constants, existsSync, lstatSync, type Stats } from 'node:fs';
import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { isPathWithin } from './path-within.ts';
import { failedRead, hasCode } from './storage-error.ts';

/** A file below a root whose own path is trusted. */
export interface FileBelow {
  /** Absolute path of a folder. Symlinks in this path itself are followed. */
  readonly root: string;
  /** Relative to `root`, or absolute below it. */
  readonly path: string;
}

/** Open mode. `create` fails if the path exists in any form. `append` creates a missing file. */
export type OpenMode = 'read' | 'append' | 'append-read' | 'create' | 'overwrite';

export interface OpenRegularFileOptions extends FileBelow {
  readonly mode: OpenMode;
  /** Creates missing folders on the path, readable only by the user. @default false */
  readonly makesFolders?: boolean;
}

export interface ReadRegularFileOptions extends FileBelow {
  /** Limit in bytes. A larger file is rejected, even if it grows during the read. */
  readonly maxBytes: number;
}

const {
  O_APPEND,
  O_CREAT,
  O_DIRECTORY,
  O_EXCL,
  O_NOCTTY,
  O_NOFOLLOW,
  O_NONBLOCK,
  O_RDONLY,
  O_RDWR,
  O_WRONLY,
} = constants;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const READ_CHUNK_BYTES = 64 * 1024;

const FLAGS = {
  read: O_RDONLY,
  append: O_WRONLY | O_APPEND | O_CREAT,
  'append-read': O_RDWR | O_APPEND | O_CREAT,
  create: O_WRONLY | O_CREAT | O_EXCL,
  // Truncated later, after the descriptor is known to be a regular file.
  overwrite: O_WRONLY | O_CREAT,
} as const satisfies Record<OpenMode, number>;

/**
 * Opens a regular file. New files have mode 0600. The caller closes the handle.
 *
 * A file with several hard links is rejected for writing, because its other name can be outside of
 * the root.
 *
 * @throws RepositoryError `unsafe-path` for a link, a folder, a pipe, a device or a socket at or on
 *   the way to `path`;
 *   the error of the file system (`ENOENT`, `EEXIST`, `EACCES`, …) unchanged otherwise
 */
export async function openRegularFile(options: OpenRegularFileOptions): Promise<FileHandle> {
  const { mode } = options;
  const walk = await openParent(options);
  try {
    const before = await lstatOptional(walk.place);
    if (before !== undefined && mode !== 'create') assertRegular(before, walk.shown);
    const file = await openEntry(walk, FLAGS[mode] | O_NONBLOCK | O_NOCTTY);
    try {
      await assertOpened(file, walk, mode);
      if (mode === 'overwrite') await file.truncate();
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    throw withShownPath(error, walk.shown);
  } finally {
    await walk.close();
  }
}

/**
 * Reads a whole regular file. Returns undefined if the file or a parent folder is missing.
 *
 * @throws RepositoryError `unsafe-path`, also for a file above `maxBytes`
 */
export async function readRegularFile(options: ReadRegularFileOptions): Promise<Buffer | undefined> {
  const { maxBytes } = options;
  const file = await openRegularFile({ ...options, mode: 'read' }).catch(ignoreMissing);
  if (file === undefined) return undefined;
  try {
    if ((await file.stat()).size > maxBytes) throw tooLarge(options);
    const chunks: Buffer[] = [];
    for (let size = 0; ;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(READ_CHUNK_BYTES));
      if (bytesRead === 0) return Buffer.concat(chunks);
      size += bytesRead;
      if (size > maxBytes) throw tooLarge(options);
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** The end of a file, and the number of bytes before it. */
export interface FileEnd {
  readonly bytes: Buffer;
  readonly omittedBytes: number;
}

/** Reads at most the last `maxBytes` bytes, or undefined for a missing file. @throws RepositoryError `unsafe-path` */
export async function readRegularFileEnd(options: ReadRegularFileOptions): Promise<FileEnd | undefined> {
  const file = await openRegularFile({ ...options, mode: 'read' }).catch(ignoreMissing);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    const omittedBytes = Math.max(0, size - options.maxBytes);
    const buffer = Buffer.alloc(size - omittedBytes);
    let length = 0;
    for (let count = -1; count !== 0 && length < buffer.length; length += count) {
      const left = buffer.length - length;
      ({ bytesRead: count } = await file.read(buffer, length, left, omittedBytes + length));
    }
    return { bytes: buffer.subarray(0, length), omittedBytes };
  } finally {
    await file.close();
  }
}

/**
 * Checks that a path below a root is a regular file that is not reached through a symlink. Missing
 * components are not an error.
 *
 * The checked path can be replaced afterwards, so prefer `openRegularFile`.
 *
 * @throws RepositoryError `unsafe-path`, also for a file above `maxBytes`
 */
export function assertRegularBelow(file: ReadRegularFileOptions): void {
  let current = file.root;
  const parts = partsBelow(file);
  for (const [index, part] of parts.entries()) {
    current = join(current, part);
    const found = lstatSync(current, { throwIfNoEntry: false });
    if (found === undefined) return;
    const isLast = index === parts.length - 1;
    if (!(isLast ? found.isFile() : found.isDirectory())) throw unsafe(current, describeKind(found));
    if (isLast && found.size > file.maxBytes) throw tooLarge(file);
  }
}

/**
 * Names below the root, outermost first. @throws RepositoryError `unsafe-path` for a path outside
 * of it
 */
function partsBelow(options: FileBelow): readonly string[] {
  const { root } = options;
  const path = shownPath(options);
  if (!isPathWithin(root, path) || path.includes('\0')) throw unsafe(path, `not below \`${root}\``);
  return relative(root, path).split(sep);
}

function tooLarge(options: ReadRegularFileOptions): RepositoryError {
  return unsafe(shownPath(options), `larger than ${options.maxBytes} bytes`);
}

function shownPath({ root, path }: FileBelow): string {
  return resolve(root, path);
}

/** Location of the last component. Its address prevents replacement of any earlier component. */
interface Walk {
  readonly place: string;
  /** The path as known to the user. */
  readonly shown: string;
  readonly folder: FileHandle;
  close(): Promise<void>;
}

async function openParent(options: OpenRegularFileOptions): Promise<Walk> {
  const parts = partsBelow(options);
  let shown = options.root;
  let folder = await open(options.root, O_RDONLY | O_DIRECTORY);
  try {
    for (const part of parts.slice(0, -1)) {
      const place = childPlace(folder, shown, part);
      shown = join(shown, part);
      if (options.makesFolders === true) await mkdir(place, { mode: FOLDER_MODE }).catch(ignoreExisting);
      const found = await lstat(place);
      if (!found.isDirectory()) throw unsafe(shown, describeKind(found));
      const next = await openEntry({ place, shown }, O_RDONLY | O_DIRECTORY);
      await folder.close();
      folder = next;
      if (!isSame(await folder.stat(), found)) throw unsafe(shown, 'replaced while it was opened');
    }
    const place = childPlace(folder, shown, parts.at(-1) ?? '');
    return { place, shown: shownPath(options), folder, close: () => folder.close() };
  } catch (error) {
    await folder.close();
    throw withShownPath(error, shown);
  }
}

function childPlace(folder: FileHandle, folderPath: string, name: string): string {
  return hasDescriptorPaths() ? `/proc/self/fd/${folder.fd}/${name}` : join(folderPath, name);
}

let descriptorPaths: boolean | undefined;
function hasDescriptorPaths(): boolean {
  return (descriptorPaths ??= existsSync('/proc/self/fd'));
}

async function openEntry(
  { place, shown }: Pick<Walk, 'place' | 'shown'>,
  flags: number,
): Promise<FileHandle> {
  try {
    return await open(place, flags | O_NOFOLLOW, FILE_MODE);
  } catch (error) {
    // ELOOP: a symlink. ENOTDIR: a symlink instead of a folder. ENXIO: a pipe without a reader, or
    // a socket. EISDIR: a folder.
    const isOther = ['ELOOP', 'ENOTDIR', 'ENXIO', 'EISDIR'].some((code) => hasCode(error, code));
    if (isOther) throw unsafe(shown, 'not a regular file', error);
    throw (flags & (O_WRONLY | O_RDWR)) === 0 ? failedRead(error) : error;
  }
}

/** Replaces the address of a descriptor in an error of the file system by the path that the user knows. */
function withShownPath(error: unknown, shown: string): unknown {
  if (!(error instanceof Error) || !('path' in error) || typeof error.path !== 'string') return error;
  if (!DESCRIPTOR_PATH.test(error.path)) return error;
  error.message = error.message.replace(error.path, shown);
  error.path = shown;
  return error;
}

const DESCRIPTOR_PATH = /^\/proc\/self\/fd\/\d+\//u;

async function assertOpened(file: FileHandle, walk: Walk, mode: OpenMode): Promise<void> {
  const opened = await file.stat();
  assertRegular(opened, walk.shown);
  if (mode !== 'read' && opened.nlink > 1) throw unsafe(walk.shown, 'a file with several hard links');
  // Without descriptor paths, a parent folder can be replaced by a symlink between the two steps.
  if (hasDescriptorPaths()) return;
  const named = await lstatOptional(walk.place);
  if (named === undefined || !isSame(named, opened)) throw unsafe(walk.shown, 'replaced while it was opened');
}

function assertRegular(found: Stats, shown: string): void {
  if (!found.isFile()) throw unsafe(shown, describeKind(found));
}

function describeKind(found: Stats): string {
  if (found.isSymbolicLink()) return 'a symbolic link';
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a named pipe';
  if (found.isSocket()) return 'a socket';
  if (found.isFile()) return 'a file';
  return 'a device';
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function unsafe(path: string, kind: string, cause?: unknown): RepositoryError {
  return new RepositoryError(
    `Expected \`${path}\` to be a regular file below real folders, got ${kind}. Remove it, or replace it with a regular file.`,
    { code: 'unsafe-path', cause },
  );
}

async function lstatOptional(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}

function ignoreExisting(error: unknown): void {
  if (!hasCode(error, 'EEXIST')) throw error;
}
