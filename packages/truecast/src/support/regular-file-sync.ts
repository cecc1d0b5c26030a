/**
 * Synchronous reads and copies of regular files in folders that a guest can write. Pipes, devices
 * and files above a limit are not read, so no call blocks or uses unbounded memory.
 */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';

const { O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const COPY_CHUNK_BYTES = 1024 * 1024;
/**
 * Maximum size of a copied file. The index of a repository with millions of files has about 500 MB.
 */
const MAX_COPIED_BYTES = 4 * 1024 ** 3;
const FILE_MODE = 0o644;

export interface ReadSyncOptions {
  /** Limit in bytes. A larger file is not read, even if it grows during the read. */
  readonly maxBytes: number;
  /** Opens the target of a symlink at `place`. @default false */
  readonly followsLink?: boolean;
}

/**
 * Returns the content of a regular file. Undefined for everything else. Only the last component of
 * the path is checked for a symlink.
 */
export function readRegularFileSync(place: string | Buffer, options: ReadSyncOptions): Buffer | undefined {
  return withRegularFile(place, options, (descriptor, size) => {
    // One more byte than expected shows that the file has grown.
    const buffer = Buffer.allocUnsafe(size + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < buffer.length; length += count) {
      count = readSync(descriptor, buffer, length, buffer.length - length, null);
    }
    return length > size ? undefined : buffer.subarray(0, length);
  });
}

/** Copies a regular file. Returns false, and creates nothing, for everything else. */
export function copyRegularFileSync(from: string, to: string): boolean {
  const options = { maxBytes: MAX_COPIED_BYTES };
  const isCopied = withRegularFile(from, options, (descriptor, size) => {
    const target = openSync(to, 'w', FILE_MODE);
    try {
      const buffer = Buffer.allocUnsafe(Math.min(size, COPY_CHUNK_BYTES) + 1);
      for (let left = size; left > 0;) {
        const count = readSync(descriptor, buffer, 0, Math.min(left, buffer.length), null);
        if (count === 0) break;
        for (let done = 0; done < count;) done += writeSync(target, buffer, done, count - done);
        left -= count;
      }
      return true;
    } finally {
      closeSync(target);
    }
  });
  return isCopied === true;
}

function withRegularFile<T>(
  place: string | Buffer,
  { maxBytes, followsLink = false }: ReadSyncOptions,
  use: (descriptor: number, size: number) => T,
): T | undefined {
  const descriptor = openOptional(place, O_RDONLY | O_NONBLOCK | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW));
  if (descriptor === undefined) return undefined;
  try {
    const found = fstatSync(descriptor);
    return found.isFile() && found.size <= maxBytes ? use(descriptor, found.size) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function openOptional(place: string | Buffer, flags: number): number | undefined {
  try {
    return openSync(place, flags);
  } catch {
    // Missing, a symlink, a pipe, or not readable for this user.
    return undefined;
  }
}
