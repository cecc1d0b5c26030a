/**
 * Parser for the worktree state that the machine prints. Pure. The output is untrusted: each line
 * is validated, and other lines are skipped.
 */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';

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
type StayingWork = Pick<RemoteWorktreeState, 'isUnfinished' | 'stashCount'>;

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

export interface RemoteWorktreeState {
  /** Undefined if HEAD refers to a branch without a commit. */
  readonly headSha: string | undefined;
  /** Undefined if HEAD is detached. */
  readonly branch: string | undefined;
  readonly indexTree: string;
  readonly filesTree: string;
  readonly carrierSha: string;
  /** Commits of the branches inside, by name. */
  readonly branches: ReadonlyMap<string, string>;
  /** True while a merge, rebase, cherry-pick or revert is unfinished. */
  readonly isUnfinished: boolean;
  readonly stashCount: number;
}

const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const BRANCH_LINE = /^branch ([0-9a-f]{40,64}) refs\/heads\/(.+)$/u;
const HEADS = 'refs/heads/';

/**
 * Parses the output of the look script.
 *
 * @throws SandboxError `sync` if it is incomplete
 */
export function readGuestState(stdout: string): RemoteWorktreeState {
  const lines = stdout.split('\n');
  const value = (name: string): string =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  const [head, index, files, carrier] = ['head', 'index', 'files', 'carrier'].map(value);
  const isWhole = lines.includes('done') && [index, files, carrier].every((sha) => SHA.test(sha ?? ''));
  if (!isWhole || (head !== '' && !SHA.test(head ?? ''))) {
    throw new SandboxError(
      'The sandbox did not report the state of its worktree. Check that `exec` returns all of stdout.',
      { code: 'sync' },
    );
  }
  const reference = value('ref');
  const branches = lines.flatMap((line) => {
    const match = BRANCH_LINE.exec(line);
    return match?.[1] === undefined || match[2] === undefined ? [] : [[match[2], match[1]] as const];
  });
  return {
    headSha: head === '' ? undefined : head,
    branch: reference.startsWith(HEADS) ? reference.slice(HEADS.length) : undefined,
    indexTree: index ?? '',
    filesTree: files ?? '',
    carrierSha: carrier ?? '',
    branches: new Map(branches),
    isUnfinished: lines.includes('busy'),
    stashCount: /^\d{1,6}$/u.test(value('stash')) ? Number(value('stash')) : 0,
  };
}
