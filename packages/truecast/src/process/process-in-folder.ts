/** Detection of processes in a folder: an agent can outlive the run that started it. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isPathWithin } from '../support/path-within.ts';
import { processIdentity, thisProcess } from './process-identity.ts';

/**
 * Returns the id of a process whose working directory is in one of the folders. Undefined if no such
 * process exists, or if the system does not report it.
 */
export async function findProcessIn(
  folders: string | readonly string[],
  isWanted: (pid: number) => boolean | Promise<boolean> = () => true,
): Promise<number | undefined> {
  const roots = [folders].flat();
  const names = await readdir('/proc').catch(() => []);
  for (const name of names.filter((entry) => /^\d+$/u.test(entry))) {
    const cwd = await readlink(join('/proc', name, 'cwd')).catch(() => undefined);
    if (cwd === undefined || !roots.some((root) => cwd === root || isPathWithin(root, cwd))) continue;
    if (await isWanted(Number(name))) return Number(name);
  }
  return undefined;
}

/**
 * Returns the id of a git that works in one of the folders, and that had started before a time of the
 * clock. @default any git
 */
export function findGitIn(
  folders: string | readonly string[],
  beforeMs: number = Infinity,
): Promise<number | undefined> {
  return findProcessIn(folders, async (pid) => {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    return name.startsWith('git') && (beforeMs === Infinity || startedAtMs(pid) < beforeMs);
  });
}

/** Linux reports the starts of processes in hundredths of a second. */
const TICK_MS = 10;
/** Times of files and of processes are rounded in other ways. */
const SLACK_MS = 1_000;

/** Returns the earliest time at which a process can have started, from the start of this process. */
function startedAtMs(pid: number): number {
  const ticks = Number(processIdentity(pid).processStartTime) - Number(thisProcess().processStartTime);
  // One that cannot be read can be old.
  return Number.isFinite(ticks) ? Date.now() - 1_000 * process.uptime() + ticks * TICK_MS - SLACK_MS : 0;
}
