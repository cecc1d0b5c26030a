/**
 * Preparation of the kernel for moves between control groups. After a pause, the first move waits
 * some 10 ms for a grace period (RCU). Moves directly after it do not wait.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findParents, hasControlGroups } from './control-group.ts';

/**
 * Moves this process into the group in which it already is, which changes nothing. The kernel's
 * wait then overlaps with the preparation of a sandbox. A failure only means that the next move
 * waits.
 */
export async function quickenMoves(): Promise<void> {
  if (!(await hasControlGroups())) return;
  const [parent] = findParents();
  if (parent === undefined) return;
  const group = join(parent.own ?? parent.folder, 'cgroup.procs');
  await writeFile(group, String(process.pid)).catch(() => undefined);
}
