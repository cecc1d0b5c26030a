/** Path containment check. Pure. */
import { isAbsolute, relative, sep } from 'node:path';

/**
 * Returns true if `path` is strictly below `folder`. Both are absolute, and compared without
 * resolving symlinks.
 */
export function isPathWithin(folder: string, path: string): boolean {
  const between = relative(folder, path);
  return between !== '' && between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}
