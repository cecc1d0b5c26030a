/** Checkpoint of a run with an id: a state that no kill of the process loses. */
import type { Usage } from '@truecast/core/internal/kit/usage';

/** Stored state of a run with an `id`. */
export interface RunCheckpoint {
  /**
   * `started`: the branch exists, and the agent is about to start. `session`: the session of a turn that
   * continues was copied, at most once a minute. `turn`: a turn of the agent has ended.
   * `answered`: the answer is accepted, and no agent is needed any more. `landed`: the result is stored,
   * after all merges.
   */
  readonly type: 'started' | 'session' | 'turn' | 'answered' | 'landed';
  /** Number of the execution, from 1. */
  readonly execution: number;
  /** Absent for a read-only run. */
  readonly branch?: string;
  /** Commit before the first agent of the run. */
  readonly commitsSince?: string;
  /** The agent's last session. Absent before it is known. */
  readonly sessionId?: string;
  /** The session's file on the host. */
  readonly sessionFilePath?: string;
  /** Tokens and cost of all turns that have ended, over all executions. */
  readonly usage?: Usage;
}
