/**
 * Path confinement of file tools: neither the path nor its links can lead out of the workspace.
 * Pure.
 */
import { z } from 'zod';

/** Schema of a path for file tools. `inside` checks where its links lead. */
export const workspacePath: z.ZodType<string> = z
  .string()
  .min(1)
  .refine((path) => !path.includes('\0'), 'Expected a path without the NUL character')
  .refine(
    (path) => !path.split('/').includes('..'),
    'Expected a path without `..`, relative to the workspace',
  )
  .describe('A path, relative to the workspace.');

/**
 * Returns a POSIX shell line that runs `command`, or fails with a message if `path` leads out of
 * the current folder.
 *
 * A path that does not exist is checked by its nearest existing parent. The check cannot stop a
 * command that changes links concurrently. The sandbox does.
 */
export function inside(path: string, command: string): string {
  const steps = [
    `p=${quoteFile(path)}`,
    'while [ ! -e "$p" ] && [ ! -L "$p" ]; do p=$(dirname -- "$p"); done',
    'root=$(pwd -P)',
    'real=$(readlink -f -- "$p")',
    `case "$real/" in "\${root%/}"/*) ;; *) echo ${shellQuote(`${path} leads out of the workspace. Pass a path inside of it.`)} >&2; exit 1 ;; esac`,
    command,
  ];
  return steps.join('; ');
}

/** Quotes a word for a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Programs without support for `--` would read a path that begins with `-` as an option. */
export function quoteFile(file: string): string {
  return shellQuote(file.startsWith('-') ? `./${file}` : file);
}
