/** Owns what a leftover is: something that a run left behind, and whether it may go. */
import type { Repository } from '../git/repository.ts';

/** Something that a run left behind. */
export interface Leftover {
  readonly kind: 'worktree' | 'branch' | 'lock' | 'log' | 'temporary-folder' | 'container';
  /** Its path, the branch's name, or the container's id. */
  readonly name: string;
  /** Why it is kept, as the rest of a sentence about it; absent when it may be removed. */
  readonly keptBecause?: string;
}

/** Containers of runs, by the engine that runs them. */
export interface ContainerLeftovers {
  /** Ids of containers whose runs have ended. */
  list(): Promise<readonly string[]>;
  remove(id: string): Promise<void>;
}

/** What the search and the removal share. */
export interface LeftoverOptions {
  readonly repository: Repository;
  /** Bound on each call of git. */
  readonly gitTimeoutMs: number;
  /** Logs that were last written longer ago go; absent, all logs stay. */
  readonly logsOlderThanMs?: number | undefined;
  /** Paths of worktrees that may go though they hold uncommitted work. */
  readonly forcedDirty: readonly string[];
  /** One for each container engine that this machine has. */
  readonly containers: readonly ContainerLeftovers[];
}
