/** Detection of processes in a folder: an agent can outlive the run that started it. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isPathWithin } from '../support/path-within.ts';

/**
 * Returns the id of a process whose working directory is in the folder. Undefined if no such
 * process exists, or if the system does not report it.
 */
export async function findProcessIn(
  folder: string,
  isWanted: (pid: number) => boolean | Promise<boolean> = () => true,
): Promise<number | undefined> {
  const names = await readdir('/proc').catch(() => []);
  for (const name of names.filter((entry) => /^\d+$/u.test(entry))) {
    const cwd = await readlink(join('/proc', name, 'cwd')).catch(() => undefined);
    if (cwd === undefined || (cwd !== folder && !isPathWithin(folder, cwd))) continue;
    if (await isWanted(Number(name))) return Number(name);
  }
  return undefined;
}

/** Returns the id of a git that works in the folder. */
export function findGitIn(folder: string): Promise<number | undefined> {
  return findProcessIn(folder, async (pid) => {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    return name.startsWith('git');
  });
}
