/** Owns whether one path lies under another. Pure. */
import { isAbsolute, relative, sep } from 'node:path';

/** Tells whether `path` lies strictly under `folder`; both absolute, compared as they are written. */
export function isPathWithin(folder: string, path: string): boolean {
  const between = relative(folder, path);
  return between !== '' && between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}
