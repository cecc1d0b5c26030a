/**
 * Name folding: normalizes spellings that macOS and Windows file systems, and git, treat as one
 * name. Pure.
 */

/** Code points that HFS+ ignores in names (git, utf8.c `next_hfs_char`). */
const IGNORED_BY_HFS = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/gu;

/** 8.3 short names of NTFS, as git lists them in `is_ntfs_dot_generic`. */
const SHORT_NAMES: readonly (readonly [shortName: RegExp, name: string])[] = [
  [/^git~1$/u, '.git'],
  [/^(gitmod~[1-4]|gi7eb[0-9a-f]*~\d+)$/u, '.gitmodules'],
  [/^(gitatt~[1-4]|gi7d29[0-9a-f]*~\d+)$/u, '.gitattributes'],
  [/^lfscon~[1-4]$/u, '.lfsconfig'],
];

/** Plain ASCII names need only case folding. Most names are plain, and a checkout has many. */
const PLAIN_NAME = /^[\w.-]*[\w-]$/u;
const PLAIN_PATH = /^[\w./-]*[\w-]$/u;

/** Returns one form for all spellings of a name: `.GIT`, `.g\u200cit`, `.git. `, `.git::$INDEX_ALLOCATION` and `git~1` are `.git`. */
export function foldName(name: string): string {
  if (PLAIN_NAME.test(name)) return name.toLowerCase();
  // Converted through upper case, because APFS treats `\u017F` as `s`.
  const plain = name.replace(IGNORED_BY_HFS, '').toUpperCase().toLowerCase();
  // NTFS drops a stream's name, and trailing dots and spaces.
  const folded = plain.replace(/:.*$/su, '').replace(/[. ]+$/u, '');
  return SHORT_NAMES.find(([pattern]) => pattern.test(folded))?.[1] ?? folded;
}

/** Returns the folded names of a path. On Windows a backslash is a separator too. */
export function foldPath(path: string): readonly string[] {
  // Then each name is plain, because no name before the last ends with a dot.
  if (PLAIN_PATH.test(path) && !path.includes('./')) return path.toLowerCase().split('/');
  return path.split(/[/\\]/u).map(foldName);
}
