/** Owns that a file tool reaches no file outside of the workspace: by the words of its path, and by where its links lead. Pure. */
import { z } from 'zod';

/** A path that a file tool takes. Where its links lead is for `inside` to find out. */
export const workspacePath: z.ZodType<string> = z
  .string()
  .min(1)
  .refine((path) => !path.includes('\0'), 'Expected a path without the NUL character')
  .refine(
    (path) => !path.split('/').includes('..'),
    'Expected a path without `..`: from the folder of the work',
  )
  .describe('A path, relative to the folder of the work.');

/**
 * Returns a line of POSIX shell that runs `command`, unless `path` leads out of the current folder: then it tells so, and fails.
 *
 * What is not there yet is judged by the nearest folder above it that is. The check is no wall against a command that changes links
 * meanwhile: that is what the sandbox is for.
 */
export function inside(path: string, command: string): string {
  const steps = [
    `p=${quoteFile(path)}`,
    'while [ ! -e "$p" ] && [ ! -L "$p" ]; do p=$(dirname -- "$p"); done',
    'root=$(pwd -P)',
    'real=$(readlink -f -- "$p")',
    `case "$real/" in "\${root%/}"/*) ;; *) echo ${quote(`${path} leads out of the folder of the work. Give a path inside of it.`)} >&2; exit 1 ;; esac`,
    command,
  ];
  return steps.join('; ');
}

/** Quotes a word for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A path that begins with `-` would be read as an option by programs that know no `--`. */
export function quoteFile(file: string): string {
  return quote(file.startsWith('-') ? `./${file}` : file);
}
