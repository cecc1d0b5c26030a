/** Typed errors for a disk that cannot be written or read: full, read-only, or without permission. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** Calls that write nothing. `open` can be for either. */
const READS: ReadonlySet<unknown> = new Set([
  'access',
  'fstat',
  'lstat',
  'opendir',
  'read',
  'readlink',
  'realpath',
  'scandir',
  'stat',
]);
/** Errors of files that were opened to be read. */
const reading = new WeakSet<Error>();
const NOT_WRITABLE: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM']);

/** Returns true if an error has this system error code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Returns true if an error, or one of its causes, says that a disk or a quota is full. */
export function isDiskFull(error: unknown): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (RepositoryError.isInstance(each) && each.code === 'disk-full') return true;
    if ('code' in each && FULL.has(each.code)) return true;
  }
  return false;
}

/** Marks the error of an opening for reading: the system names only `open`. Returns the error. */
export function failedRead(error: unknown): unknown {
  if (error instanceof Error) reading.add(error);
  return error;
}

/**
 * Returns the typed form of a failed write or read, with the system's error as its `cause`. Every other error
 * is returned unchanged.
 *
 * @param what - the path or thing that was written or read, if the system's error does not name it
 */
export function storageError(error: unknown, what?: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  const path = 'path' in error && typeof error.path === 'string' ? `\`${error.path}\`` : (what ?? 'A file');
  if (FULL.has(error.code)) {
    return new RepositoryError(
      `${path} could not be written: no space is left on the disk (${String(error.code)}). Free some space, then run again.`,
      { code: 'disk-full', cause: error },
    );
  }
  if (!NOT_WRITABLE.has(error.code)) return error;
  if (READS.has(error.syscall) || reading.has(error)) {
    return new RepositoryError(
      `${path} could not be read (${String(error.code)}). Check its owner and permissions, and those of the folders above it.`,
      { code: 'not-readable', cause: error },
    );
  }
  const done = error.syscall === 'open' ? 'opened' : 'written';
  return new RepositoryError(
    `${path} could not be ${done} (${String(error.code)}). Check its owner and permissions, and that its file system is not mounted read-only.`,
    { code: 'not-writable', cause: error },
  );
}
