/** Common state of host and guest at the last sync of an isolated sandbox. Pure. */
import type { RemoteWorktreeState } from './guest-state.ts';

/** State of both host and guest. */
export interface SyncedState {
  readonly headSha: string;
  /** Branch of HEAD, or undefined if HEAD is detached. */
  readonly branch: string | undefined;
  /** Tree of all files that git would commit, in the host's state. */
  readonly filesTree: string;
  /** Sent or fetched branches and their commits. */
  readonly branches: ReadonlyMap<string, string>;
  /** Commits that both sides have. Their ancestors need no transfer. */
  readonly tips: readonly string[];
  /** Fingerprint of the guest's whole state. */
  readonly seen: string;
}

/** Returns a fingerprint that changes whenever the sandbox's worktree changes. */
export function fingerprint(
  state: Pick<RemoteWorktreeState, 'headSha' | 'branch' | 'indexTree' | 'filesTree' | 'branches'>,
): string {
  const { headSha = '', branch = '', indexTree, filesTree, branches } = state;
  const names = [...branches].map(([name, sha]) => `${sha} ${name}`).toSorted();
  return [headSha, branch, indexTree, filesTree, ...names].join('\n');
}
