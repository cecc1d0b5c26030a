/**
 * The git call of a merge, which writes the caller's checkout: completely, or not at all.
 */
import { join } from 'node:path';
import { journaled } from '../checkout/checkout-journal.ts';
import { undoCheckout } from '../checkout/undo-checkout.ts';
import { git, gitFailed, type GitCallOptions, type GitOptions, type GitResult } from '../command/git.ts';
import { isThere } from '../command/quarantine.ts';
import { pathsOf, type Repository } from '../repository/repository.ts';
import { MIN_FILES_MS } from './worktree-list.ts';

/** A branch that is merged, and the checkout that it is merged into. A worktree is one. */
export interface MergeSource {
  readonly repository: Repository;
  readonly commonDir: string;
  readonly branch: string | undefined;
  /** Branch that moves. @default the one that is checked out */
  readonly into?: string;
  /** Commit at which the branch began. */
  readonly baseSha: string;
  /** Git directory of the branch's worktree. Undefined if it has none. */
  readonly gitDir: string | undefined;
}

export interface HostCallOptions extends GitCallOptions {
  readonly worktree: MergeSource;
}

export interface MergeWrite {
  /** HEAD of the checkout. */
  readonly from: string;
  /** Commit or tree whose files are written. Undefined if git cannot merge in memory. */
  readonly to: string | undefined;
  /** Commit that is merged. */
  readonly tip: string;
}

/** Returns true if a merge failed because it is not a fast-forward. It has then written nothing. */
export function isDiverged({ stderr }: GitResult): boolean {
  return /not possible to fast-forward|diverging branches/iu.test(stderr);
}

/**
 * Runs `git merge`, and undoes its writes if it fails. If this process is killed, the journal has an
 * entry for the next run.
 */
export async function writeMerge(
  options: HostCallOptions,
  merge: MergeWrite,
  args: readonly string[],
): Promise<GitResult> {
  const { branch = 'HEAD', commonDir, repository } = options.worktree;
  const call = await hostCall(options);
  // Without the signal: a checkout is written completely or not at all.
  const uninterrupted = { ...call, signal: undefined, timeoutMs: Math.max(call.timeoutMs, MIN_FILES_MS) };
  const quiet = ['merge', '--quiet', '--no-edit', '--commit', '--no-squash', '--no-autostash', '--no-stat'];
  const checkout = {
    kind: 'merge',
    path: repository.topLevel,
    branch,
    isNewBranch: false,
    from: merge.from,
    // Without the merged tree, only files that are equal on the branch can be restored.
    to: merge.to ?? merge.tip,
    tip: merge.tip,
  } as const;
  return journaled(commonDir, checkout, async (onSpawn) => {
    const merged = await git([...quiet, ...args], { ...uninterrupted, onSpawn });
    if (merged.exitCode !== 0 && !isDiverged(merged)) await undoMerge(options, merge, merged);
    return merged;
  });
}

async function undoMerge(
  options: HostCallOptions,
  { from, to }: MergeWrite,
  { stderr }: GitResult,
): Promise<void> {
  const { topLevel, gitDir } = options.worktree.repository;
  const call = { ...(await hostCall(options)), signal: undefined };
  if (await isThere(join(gitDir, 'MERGE_HEAD'))) {
    const aborted = await git(['merge', '--abort'], call);
    if (aborted.exitCode !== 0) throw gitFailed(['merge', '--abort'], aborted, topLevel);
  }
  if (to !== undefined) await undoCheckout({ topLevel, from, to, stderr }, call);
}

export async function hostCall({ worktree, timeoutMs, signal }: HostCallOptions): Promise<GitOptions> {
  const { repository } = worktree;
  return {
    timeoutMs,
    signal,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
    config: (await repository.trustedConfig()).hostFilters,
  };
}
