/**
 * Work review: finds the code that an agent's commits and files would run on the host. One review
 * per sandbox of a worktree.
 */
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import type { ConfigEntry } from '../../git/command/config-entries.ts';
import type { GitCallOptions, GitResult } from '../../git/command/git.ts';
import { pathsOf } from '../../git/repository/repository.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { clearRights, describeAll } from './clear-rights.ts';
import { startFilesReview } from './files-review.ts';
import type { SensitiveFile } from './find-sensitive-files.ts';
import type { HostPrograms } from './paths/host-programs.ts';
import { readHostPrograms } from './read-host-programs.ts';
import { reviewTree } from './review-tree.ts';
import type { TreeRange } from './tree-changes.ts';
import { lstatSync } from 'node:fs';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { moveAside } from './defuse-repository.ts';
import { toShownPath, toSystemPath } from './walk-checkout.ts';

/** Reviews the work in one worktree, with git's configuration from before the guest. */
export interface WorkReview {
  /** True if the agent works in a sandbox, so its files can be hostile. */
  readonly hasGuest: boolean;
  /** Sensitive files before the guest. Empty for a fresh worktree. */
  readonly initialFiles: readonly SensitiveFile[];
  /**
   * Reviews the changes of a tip. `compared` is the result of `treeComparison`, if it was read.
   */
  reviewCommits(
    range: TreeRange,
    options: GitCallOptions,
    compared?: GitResult,
  ): Promise<readonly SensitiveChange[]>;
  /** Reviews the files since the last call. Renames nested repositories that can run a program. */
  reviewFiles(options: GitCallOptions): Promise<readonly SensitiveChange[]>;
  /**
   * Renames hooks of the agent in a worktree that is kept, and warns. Returns the changes with the
   * new paths. `keepsCommitted`: the agent goes on there, and its committed files stay.
   */
  quarantineHooks(
    changes: readonly SensitiveChange[],
    options: Omit<QuarantineOptions, 'onMoved'>,
  ): readonly SensitiveChange[];
  /** Removes rights that the guest left in files since the start. Returns a sentence for each. */
  clearRights(): Promise<readonly string[]>;
}

export interface StartWorkReviewOptions {
  readonly worktree: LockedWorktree;
  /** False without a sandbox: an agent on the host can run code there without any file. */
  readonly hasGuest: boolean;
  /** True if the guest shares the files, and can create setuid files or devices. */
  readonly canSetId: boolean;
  /** True for a worktree that contains only its base commit. */
  readonly isFresh: boolean;
  /** Configuration that was read before, and cannot have changed. */
  readonly knownConfig?: readonly ConfigEntry[] | undefined;
}

export async function startWorkReview(
  { worktree, hasGuest, canSetId, isFresh, knownConfig }: StartWorkReviewOptions,
  options: GitCallOptions,
): Promise<WorkReview> {
  // Without a guest, the agent can change the configuration itself. Reading it early has no
  // benefit.
  let reading: Promise<HostPrograms> | undefined;
  const readPrograms = (call: GitCallOptions): Promise<HostPrograms> =>
    (reading ??= readHostPrograms(worktree.repository, { ...call, known: knownConfig }));
  const files = hasGuest
    ? await startFilesReview({ worktree, programs: await readPrograms(options), isFresh })
    : undefined;
  const startedMs = Date.now();
  // The worktree can be removed before this runs.
  const paths = pathsOf(worktree.repository);
  return {
    hasGuest,
    initialFiles: files?.initialFiles ?? [],
    reviewCommits: (range, call, compared) =>
      reviewTree({
        ...range,
        readPrograms: () => readPrograms(call),
        call: { ...call, cwd: worktree.repository.topLevel, paths },
        compared,
      }),
    reviewFiles: async (call) => (await files?.look(call)) ?? [],
    quarantineHooks: (changes, how) =>
      quarantineHooks(worktree.path, changes, { ...how, onMoved: (path) => files?.forget(path) }),
    clearRights: async () => (canSetId ? describeAll(await clearRights(worktree.path, startedMs)) : []),
  };
}

interface QuarantineOptions {
  readonly warn: (message: string) => void;
  /** True for a worktree in which the agent goes on. Its committed files stay. */
  readonly keepsCommitted: boolean;
  /** Called with the old path of each hook. */
  readonly onMoved: (path: string) => void;
}

/**
 * Renames each hook that the agent added or changed, and warns about it. Returns the changes with the
 * new paths.
 *
 * Call it for a worktree that is kept, after its branch is merged or published.
 */
function quarantineHooks(
  root: string,
  changes: readonly SensitiveChange[],
  { warn, keepsCommitted, onMoved }: QuarantineOptions,
): readonly SensitiveChange[] {
  return changes.map((change) => {
    if (change.reason !== 'hook' || change.runsAt !== 'git' || change.change === 'removed') return change;
    if (keepsCommitted && change.source === 'commits') return change;
    const path = Buffer.from(change.path).toString('latin1');
    if (lstatSync(toSystemPath(root, path), { throwIfNoEntry: false }) === undefined) return change;
    const moved = moveAside(root, path);
    if (moved === undefined) return change;
    const movedTo = toShownPath(moved);
    onMoved(change.path);
    warn(
      `The agent left the hook \`${cut(change.path)}\`, which would run at the next git command in this worktree. It was moved to \`${cut(movedTo)}\`.`,
    );
    return { ...change, movedTo };
  });
}
