/**
 * Merge of a temporary branch into the caller's branch. Never leaves the caller's checkout in the
 * middle of a merge.
 */
import { basename, join } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { mergeMessage, readMergedTree } from '../checkout/merged-tree.ts';
import { findSmudgeFailure } from '../filters/trial-checkout.ts';
import { git, gitFailed, type GitCallOptions, type GitOptions, type GitResult } from '../command/git.ts';
import { failedCall, hasNoSpace } from '../command/git-failure.ts';
import { MERGE_LOCK_KEY, withLock } from '../command/lock.ts';
import { isThere } from '../command/quarantine.ts';
import { recoverLocked } from './recover-checkouts.ts';
import { hostCall, isDiverged, writeMerge, type MergeSource } from './write-merge.ts';

export interface MergeToHeadOptions extends GitCallOptions {
  readonly worktree: MergeSource;
  readonly now: Date;
  /** Maximum wait for the merges of other runs. @default `timeoutMs` */
  readonly waitMs?: number | undefined;
  /** Pending work that reads the worktree. No branch is moved before it is done. */
  readonly after?: Promise<unknown> | undefined;
  readonly onWarning: (message: string) => void;
  /** Moves to exactly `commit`, if HEAD of the checkout is still `onto`. `tip` is the branch's. */
  readonly landing?: { readonly onto: string; readonly tip: string; readonly commit: string } | undefined;
  /**
   * Called before a branch with new commits is merged, and again with the merged tree if a merge
   * commit is needed. If it throws, the branch is kept.
   */
  readonly beforeMerge?: ((range: MergeRange) => Promise<void>) | undefined;
}

export interface MergeRange {
  /** HEAD of the caller's checkout. */
  readonly hostSha: string;
  readonly tip: string;
  /** Tree of the merge commit. Renames can move a file of the branch to another path. */
  readonly tree?: string;
}

export interface MergeOutcome {
  /** False if the branch contained nothing new. */
  readonly isMerged: boolean;
  /** Current HEAD of the caller's checkout. */
  readonly headSha: string;
  /** Tip of the merged branch. */
  readonly tip: string;
  /** True when the worktree's HEAD is on the branch. */
  readonly isAttached: boolean;
  /** True if nothing was merged, because the caller's branch moved after the landing was planned. */
  readonly hasMoved?: boolean;
}

/**
 * Merges a worktree's temporary branch into the branch that was checked out at the start of the
 * run. `deleteMergedBranch` deletes it afterwards.
 *
 * Fast-forwards if possible, else creates a merge commit. Merges of all processes are serialized.
 * On any failure the checkout is unchanged, the branch is kept, and the message says how to finish.
 * After git starts to write to the checkout, `signal` no longer stops it.
 *
 * @throws RepositoryError `merge-conflict`, also if uncommitted files are in the way or if another
 *   branch is checked out; `locked`; `timeout`
 */
export function mergeToHead(options: MergeToHeadOptions): Promise<MergeOutcome> {
  return withMergeLock(options, () => mergeLocked(options));
}

/** Runs `work` under the lock of merges. Before and after a failure, half-written checkouts are recovered. */
export async function withMergeLock<TResult>(
  options: MergeToHeadOptions,
  work: () => Promise<TResult>,
): Promise<TResult> {
  const { worktree, now, signal, timeoutMs, waitMs = timeoutMs } = options;
  const { commonDir, branch = 'HEAD' } = worktree;
  const lock = {
    commonDir,
    key: MERGE_LOCK_KEY,
    subject: 'The merge queue',
    command: `merge ${branch}`,
    now,
    waitMs,
    signal,
  };
  const recovering = { ...options, repository: worktree.repository };
  return withLock(lock, async () => {
    // A process can have been killed since this run started.
    await recoverLocked(recovering);
    try {
      return await work();
    } catch (error) {
      // A git that was stopped, for example after its timeout, has not finished its files.
      await recoverLocked(recovering);
      throw error;
    }
  });
}

/** The same, for a caller that holds the lock of merges. */
export async function mergeLocked(options: MergeToHeadOptions): Promise<MergeOutcome> {
  const { worktree } = options;
  const { repository, baseSha, branch } = worktree;
  if (branch === undefined) throw notMerged(worktree, 'there is no branch to merge');
  const [read] = await Promise.all([readHeads(options, branch), options.after]);
  // An agent can have renamed or deleted the branch. The pending work has created it again.
  const before = read.tip === undefined ? await readHeads(options, branch) : read;
  if (before.hostBranch !== repository.branch) {
    const now = before.hostBranch === undefined ? 'a detached HEAD' : `\`${before.hostBranch}\``;
    const then = repository.branch === undefined ? 'a detached HEAD' : `\`${repository.branch}\``;
    throw notMerged(
      worktree,
      `\`${repository.topLevel}\` was on ${then} when the run began, and is on ${now}`,
    );
  }
  const { hostSha, isAttached } = before;
  const { landing } = options;
  if (landing !== undefined && landing.onto !== hostSha) {
    return { isMerged: false, headSha: hostSha, tip: landing.tip, isAttached, hasMoved: true };
  }
  // An agent's daemon can have moved the branch after its check.
  const tip = landing?.tip ?? before.tip ?? baseSha;
  // A planned landing knows that the target lacks something, also of an earlier run.
  const isNew = landing === undefined ? tip !== hostSha && tip !== baseSha : landing.commit !== hostSha;
  if (isNew) await reviewed(options, { hostSha, tip });
  const headSha = isNew ? await merge(options, branch, tip, hostSha) : hostSha;
  return { isMerged: headSha !== hostSha, headSha, tip, isAttached };
}

/** Without a common commit, a review cannot tell what the branch has changed. That is the true reason. */
async function reviewed(options: MergeToHeadOptions, range: MergeRange): Promise<void> {
  try {
    await options.beforeMerge?.(range);
  } catch (error) {
    if (!RepositoryError.isInstance(error) || error.code !== 'sensitive-changes') throw error;
    await assertCommonHistory(options.worktree, range, await hostCall(options));
    throw error;
  }
}

/** @throws RepositoryError `merge-conflict` if no commit is in both histories */
export async function assertCommonHistory(
  worktree: MergeSource,
  { hostSha, tip }: MergeRange,
  call: GitOptions,
): Promise<void> {
  const base = await git(['merge-base', hostSha, tip], call);
  if (base.exitCode !== 1) return;
  const target = worktree.into ?? worktree.repository.branch ?? 'HEAD';
  throw notMerged(
    worktree,
    `it has no common history with \`${target}\`, because the agent replaced the first commit (\`git merge\` needs \`--allow-unrelated-histories\`)`,
  );
}

interface Heads {
  readonly hostSha: string;
  readonly hostBranch: string | undefined;
  readonly worktreeSha: string;
  /** True when the worktree's HEAD is on the branch. */
  readonly isAttached: boolean;
  /** Undefined if the agent deleted or renamed the branch. */
  readonly tip: string | undefined;
}

async function readHeads(options: MergeToHeadOptions, branch: string): Promise<Heads> {
  const { gitDir } = options.worktree;
  const worktreeHead = gitDir === undefined ? 'HEAD' : `worktrees/${basename(gitDir)}/HEAD`;
  const args = (...more: string[]): string[] => [
    'rev-parse',
    'HEAD',
    worktreeHead,
    ...more,
    '--symbolic-full-name',
    worktreeHead,
    'HEAD',
  ];
  const withTip = await git(args(`refs/heads/${branch}`), await hostCall(options));
  const found = withTip.exitCode === 0 ? withTip : await git(args(), await hostCall(options));
  const lines = found.stdout.split('\n').filter((line) => line !== '');
  const [hostSha, worktreeSha] = lines;
  if (found.exitCode !== 0 || hostSha === undefined || worktreeSha === undefined) {
    throw gitFailed(args(), found, options.worktree.repository.topLevel);
  }
  const reference = lines.at(-1) ?? 'HEAD';
  const hostBranch = reference.startsWith('refs/heads/') ? reference.slice('refs/heads/'.length) : undefined;
  const isAttached = lines.at(-2) === `refs/heads/${branch}`;
  return { hostSha, worktreeSha, hostBranch, isAttached, tip: withTip.exitCode === 0 ? lines[2] : undefined };
}

/** Returns HEAD after the merge. */
async function merge(
  options: MergeToHeadOptions,
  branch: string,
  tip: string,
  hostSha: string,
): Promise<string> {
  const { worktree } = options;
  if (await isThere(join(worktree.repository.gitDir, 'MERGE_HEAD'))) {
    throw notMerged(worktree, 'you have an unfinished merge there');
  }
  const { landing } = options;
  if (landing !== undefined || hostSha === worktree.baseSha) {
    const target = landing?.commit ?? tip;
    if (target !== tip) await options.beforeMerge?.({ hostSha, tip, tree: target });
    await assertFiltersWork(options, hostSha, target);
    // By its id: a tag can have the branch's name, and an agent's daemon can move the branch.
    const writing = { from: hostSha, to: target, tip: target };
    const forwarded = await writeMerge(options, writing, ['--ff-only', target]);
    if (forwarded.exitCode === 0) return target;
    if (landing !== undefined || !isDiverged(forwarded)) throw refused(worktree, forwarded);
  }
  const tree = await mergeInMemory(options, hostSha, tip);
  if (tree !== undefined) {
    await options.beforeMerge?.({ hostSha, tip, tree });
    await assertFiltersWork(options, hostSha, tree);
  }
  // Without the tree, nothing may move to a path that was not reviewed. `ort` ignores the option.
  const renames = tree === undefined ? ['-s', 'recursive', '-X', 'no-renames'] : [];
  const message = await mergeMessage(branch, tip, await hostCall(options));
  const writing = { from: hostSha, to: tree, tip };
  const merged = await writeMerge(options, writing, ['--ff', '--no-log', '-m', message, ...renames, tip]);
  if (merged.exitCode !== 0) throw refused(worktree, merged);
  const head = await git(['rev-parse', 'HEAD'], await hostCall(options));
  return head.stdout.trim();
}

/** A failing required filter would stop the merge between two files. */
async function assertFiltersWork(options: MergeToHeadOptions, from: string, tree: string): Promise<void> {
  const { worktree } = options;
  const config = await worktree.repository.trustedConfig();
  const failure = await findSmudgeFailure({ from, tree }, config, await hostCall(options));
  if (failure === undefined) return;
  throw notMerged(
    worktree,
    `the required filter \`${cut(failure.filter)}\` failed on \`${cut(failure.path)}\``,
  );
}

/** Returns the merged tree. Undefined if git cannot merge in memory. */
async function mergeInMemory(
  options: MergeToHeadOptions,
  hostSha: string,
  tip: string,
): Promise<string | undefined> {
  const { tree, conflicts } = await readMergedTree(hostSha, tip, await hostCall(options));
  if (conflicts.length === 0) return tree;
  throw notMerged(options.worktree, `both changed ${conflicts.map((file) => `\`${cut(file)}\``).join(', ')}`);
}

function refused(worktree: MergeSource, result: GitResult): RepositoryError {
  const { stderr, stdout, exitCode } = result;
  const said = cut((stderr.trim() || stdout.trim()).replace(/^error: /u, ''));
  if (hasNoSpace(result)) {
    const what = `\`${worktree.branch ?? 'HEAD'}\` was not merged: ${said}. The checkout is unchanged and the branch is kept.`;
    return failedCall(what, '', result);
  }
  return notMerged(worktree, said, {
    exitCode,
    stderrTail: stderr.slice(-2_000),
    isInWay: IN_WAY.test(stderr),
  });
}

/** Git's sentence for uncommitted or untracked files that the merge would write. */
const IN_WAY = /would be overwritten by (?:merge|checkout)/u;

/** Returns the error of a branch that was not merged. */
export function notMerged(
  { branch, repository, into = repository.branch }: MergeSource,
  reason: string,
  { isInWay = false, ...evidence }: { exitCode?: number; stderrTail?: string; isInWay?: boolean } = {},
): RepositoryError {
  const target = into === undefined ? '' : `git checkout ${into} && `;
  return new RepositoryError(
    `\`${branch ?? 'HEAD'}\` was not merged: ${reason}. The checkout is unchanged and the branch is kept. To finish, ${isInWay ? 'first commit or stash your changes to these files, then ' : ''}run \`${target}git merge ${branch ?? ''}\` in \`${repository.topLevel}\`, resolve the conflicts, and commit.`,
    { code: 'merge-conflict', ...(branch !== undefined && { branch }), ...evidence },
  );
}
