/** Prepared reads: git processes that start early and wait until a run's work is handed over. */
import type { WaitingGit } from '../../git/command/waiting-git.ts';

/**
 * Git reads whose processes can start while the agent works. They read nothing before they are
 * used.
 */
export interface PreparedReads extends AsyncDisposable {
  readonly listing: WaitingGit;
  /** Undefined if a merge follows, because a merge compares other commits. */
  readonly comparison: WaitingGit | undefined;
  start(): void;
}
