/** Paths as git quotes them: ASCII, although names need not be UTF-8. Pure. */

/** Configuration with which git quotes every path that is not plain ASCII. */
export const QUOTED_PATHS = 'core.quotePath=true';

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

/** Returns the bytes of a path, in Latin-1. */
export function unquotePath(path: string): string {
  if (!path.startsWith('"')) return path;
  return path
    .slice(1, -1)
    .replaceAll(/\\([0-7]{3}|.)/gu, (_all, escaped: string) =>
      escaped.length === 3
        ? String.fromCodePoint(Number.parseInt(escaped, 8))
        : (ESCAPES[escaped] ?? escaped),
    );
}

/** Returns the bytes of an unquoted path below a folder. */
export function systemPath(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
}
