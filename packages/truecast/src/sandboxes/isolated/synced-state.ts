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
  /** Work that stays inside, of which the caller knows. */
  readonly stays: StayingWork;
}

/** Work of the guest that is not copied to the host. */
export type StayingWork = Pick<RemoteWorktreeState, 'isUnfinished' | 'stashCount'>;

/** A machine that the host has just sent its worktree to. */
export const NOTHING_STAYS: StayingWork = { isUnfinished: false, stashCount: 0 };

/** Describes the work that stays inside since the last sync. */
export function describeStaying(now: StayingWork, before: StayingWork): readonly string[] {
  const added = now.stashCount - before.stashCount;
  return [
    ...(now.isUnfinished && !before.isUnfinished
      ? [
          'The agent left a merge or rebase unfinished in the sandbox. Its files and commits are copied, but the next run cannot continue it.',
        ]
      : []),
    ...(added > 0
      ? [
          `The agent left ${added} ${added === 1 ? 'entry' : 'entries'} in the stash of the sandbox, which ${added === 1 ? 'is' : 'are'} not copied. Ask it to commit its work.`,
        ]
      : []),
  ];
}

/** Returns a fingerprint that changes whenever the sandbox's worktree changes. */
export function fingerprint(
  state: Pick<RemoteWorktreeState, 'headSha' | 'branch' | 'indexTree' | 'filesTree' | 'branches'> &
    StayingWork,
): string {
  const { headSha = '', branch = '', indexTree, filesTree, branches, isUnfinished, stashCount } = state;
  const names = [...branches].map(([name, sha]) => `${sha} ${name}`).toSorted();
  return [headSha, branch, indexTree, filesTree, isUnfinished, stashCount, ...names].join('\n');
}
