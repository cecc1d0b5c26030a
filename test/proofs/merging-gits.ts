/** Gits that merge in a repository: their processes, which a proof stops and kills. Linux only. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Returns the ids of the gits that merge in the repository. They are higher than the id of the run that started them. */
export function gitsOf(path: string, run = 0): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > run && isMerging(pid, path));
}

/**
 * Waits until a git below the run writes files, and stops it, so that it does not end before it can be killed. Returns
 * the ids of the stopped ones: none if it has ended.
 */
export async function stopWriting(run: ChildProcess, path: string, afterMs = 0): Promise<readonly number[]> {
  const isOver = (): boolean => run.exitCode !== null || run.signalCode !== null;
  // Git holds the lock for as long as it writes.
  const lock = join(path, '.git', 'index.lock');
  while (!isOver() && !(existsSync(lock) && mergesBelow(run.pid, path).length > 0)) await sleep(1);
  await sleep(afterMs);
  return mergesBelow(run.pid, path).filter((pid) => {
    try {
      return process.kill(-pid, 'SIGSTOP');
    } catch {
      // It has ended.
      return false;
    }
  });
}

/** Returns the ids of the run's children that are gits that merge in the repository. */
function mergesBelow(run: number | undefined, path: string): readonly number[] {
  const children = readProc(`${run}/task/${run}/children`).split(' ').filter(Boolean).map(Number);
  return children.filter((pid) => isMerging(pid, path));
}

function isMerging(pid: number, path: string): boolean {
  const words = readProc(`${pid}/cmdline`);
  return words.includes(`--work-tree=${path}\0`) && words.includes('\0merge\0--quiet');
}

/** Returns the text of a file about a process, or nothing of one that has ended. */
function readProc(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'latin1');
  } catch {
    return '';
  }
}
