/** Leftover: a resource that an ended run did not remove, and the reason if it must stay. */
import type { ContainerLeftovers } from '../../sandboxes/containers/host-labels.ts';
import type { Repository } from '../../git/repository/repository.ts';

export interface Leftover {
  readonly kind:
    | 'worktree'
    | 'branch'
    | 'git-store'
    | 'unfinished-checkout'
    | 'lock'
    | 'log'
    | 'run'
    | 'temporary-folder'
    | 'container';
  /** A path, a branch name, or a container id. */
  readonly name: string;
  /** Reason to keep it, written as the rest of a sentence. Absent if it can be removed. */
  readonly keptBecause?: string;
  /** Set if it is kept for its uncommitted work. Naming it in `forcedDirty` removes it. */
  readonly hasWork?: true;
}

/** Why a leftover must stay. */
export type Kept = Pick<Leftover, 'hasWork'> & { readonly keptBecause: string };

/** Options common to search and removal. */
export interface LeftoverOptions {
  readonly repository: Repository;
  readonly gitTimeoutMs: number;
  /** Age limit of logs and kept runs since their last write. If absent, all are kept. */
  readonly logsOlderThanMs?: number | undefined;
  /** Paths of worktrees and git stores that can be removed with their work. */
  readonly forcedDirty: readonly string[];
  /** Receives what was restored. */
  readonly onWarning: (message: string) => void;
  /** One entry per container engine on this machine. */
  readonly containers: readonly ContainerLeftovers[];
}
