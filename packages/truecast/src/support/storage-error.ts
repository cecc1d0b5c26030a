/** Typed errors for a disk that cannot be written: full, read-only, or without permission. Pure. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
const NOT_WRITABLE: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * Returns the typed form of a failed write, with the system's error as its `cause`. Every other error
 * is returned unchanged.
 *
 * @param what - the path or thing that was written, if the system's error does not name it
 */
export function storageError(error: unknown, what?: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  const path = 'path' in error && typeof error.path === 'string' ? `\`${error.path}\`` : (what ?? 'A file');
  if (FULL.has(error.code))
    return new RepositoryError(
      `${path} could not be written: no space is left on the disk (${String(error.code)}). Free some space, then run again.`,
      { code: 'disk-full', cause: error },
    );
  if (!NOT_WRITABLE.has(error.code)) return error;
  return new RepositoryError(
    `${path} could not be written (${String(error.code)}). Check its owner and permissions, and that its file system is not mounted read-only.`,
    { code: 'not-writable', cause: error },
  );
}
