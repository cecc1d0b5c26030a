/** Prepared reads: git commands that wait in their processes until a run's work is handed over. */
import type { WaitingGit } from '../../git/command/waiting-git.ts';

/** Calls of the reads that can start while the agent works. They read nothing until their use. */
export interface PreparedReads extends AsyncDisposable {
  readonly listing: WaitingGit;
  /** Undefined before a merge, which compares other commits. */
  readonly comparison: WaitingGit | undefined;
  start(): void;
}
