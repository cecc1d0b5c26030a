/** Reason for which git lists a worktree as locked: the run that uses it, or used it until a kill. */
import { join } from 'node:path';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';

const MAX_BYTES = 64 * 1024;
const OF_RUN = 'truecast run of process';
const READ_ONLY = ', read-only';

/** Returns the reason of this process's run. */
export function lockReason(isThrownAway: boolean): string {
  return `${OF_RUN} ${process.pid}${isThrownAway ? READ_ONLY : ''}`;
}

/** Whose lock a worktree has. It outlives a killed run. */
export interface WorktreeOwner {
  readonly isOfRun: boolean;
  /** True if the run's items only read. */
  readonly isThrownAway: boolean;
}

/** Reads the owner from a worktree's administrative directory. */
export function readOwner(gitDir: string): WorktreeOwner {
  const reason = readRegularFileSync(join(gitDir, 'locked'), { maxBytes: MAX_BYTES })?.toString('utf8') ?? '';
  const isOfRun = reason.startsWith(OF_RUN);
  return { isOfRun, isThrownAway: isOfRun && reason.trimEnd().endsWith(READ_ONLY) };
}
