/** Owns what both sides of an isolated sandbox had when they last met. Pure. */
import type { GuestState } from './guest-state.ts';

/** What host and guest both have. */
export interface SyncedState {
  readonly headSha: string;
  /** Branch that HEAD names; undefined when it is detached. */
  readonly branch: string | undefined;
  /** All files that git would commit, as the host has them. */
  readonly filesTree: string;
  /** Branches that were sent or fetched, with their commits. */
  readonly branches: ReadonlyMap<string, string>;
  /** Commits that both have: what leads to them need not travel. */
  readonly tips: readonly string[];
  /** What the guest had, all of it. */
  readonly seen: string;
}

/** Returns a text that is another for every other state of the worktree inside. */
export function fingerprint(
  state: Pick<GuestState, 'headSha' | 'branch' | 'indexTree' | 'filesTree' | 'branches'>,
): string {
  const { headSha = '', branch = '', indexTree, filesTree, branches } = state;
  const names = [...branches].map(([name, sha]) => `${sha} ${name}`).toSorted();
  return [headSha, branch, indexTree, filesTree, ...names].join('\n');
}
