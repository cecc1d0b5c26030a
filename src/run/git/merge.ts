/** Owns bringing a temporary branch into the caller's branch, without ever leaving the caller's checkout in the middle of a merge. */
import { basename, join } from 'node:path';
import { cut } from '../../errors/describe-value.ts';
import { RepositoryError } from '../../errors/repository-error.ts';
import { git, gitFailed, type GitCallOptions, type GitOptions, type GitResult } from './git.ts';
import { MERGE_LOCK_KEY, withLock } from './lock.ts';
import { isThere } from './quarantine.ts';
import { pathsOf } from './repository.ts';
import { MIN_FILES_MS } from './worktree-command.ts';
import { worktreePaths, type Worktree } from './worktree.ts';

/** What `mergeToHead` takes. */
export interface MergeOptions extends GitCallOptions {
  readonly worktree: Worktree;
  readonly now: Date;
  /** How long the merges of other runs are waited for. @default `timeoutMs` */
  readonly waitMs?: number | undefined;
  /** What looks at the worktree meanwhile: no branch is moved before it is done. */
  readonly after?: Promise<unknown> | undefined;
  readonly onWarning: (message: string) => void;
}

/** What a merge did. */
export interface MergeOutcome {
  /** False when the branch held nothing new. */
  readonly isMerged: boolean;
  /** HEAD of the caller's checkout now. */
  readonly headSha: string;
  /** Where the merged branch is. */
  readonly tip: string;
  /** True when the worktree's HEAD is on the branch. */
  readonly isAttached: boolean;
}

/**
 * Merges a worktree's temporary branch into the branch that was checked out when the run began; `deleteMergedBranch` ends it.
 *
 * Fast-forwards where that is possible, else makes a merge commit. Merges of all processes take turns. On any failure the
 * checkout is as it was, the branch stays, and the message says how to finish. Once git writes to the checkout, `signal` no longer stops it.
 *
 * @throws RepositoryError `merge-conflict`, also when uncommitted files are in the way or another branch is checked out; `locked`; `timeout`
 */
export async function mergeToHead(options: MergeOptions): Promise<MergeOutcome> {
  const { worktree, now, signal, timeoutMs, waitMs = timeoutMs } = options;
  const { commonDir, branch } = worktree;
  if (branch === undefined) throw notMerged(worktree, 'there is no branch to merge');
  const lock = {
    commonDir,
    key: MERGE_LOCK_KEY,
    subject: 'The merge queue',
    command: `merge ${branch}`,
    now,
    waitMs,
    signal,
  };
  return withLock(lock, async () => mergeLocked(options, branch));
}

async function mergeLocked(options: MergeOptions, branch: string): Promise<MergeOutcome> {
  const { worktree } = options;
  const { repository, baseSha } = worktree;
  const [before] = await Promise.all([readHeads(options, branch), options.after]);
  if (before.hostBranch !== repository.branch) {
    const now = before.hostBranch === undefined ? 'a detached HEAD' : `\`${before.hostBranch}\``;
    const then = repository.branch === undefined ? 'a detached HEAD' : `\`${repository.branch}\``;
    throw notMerged(
      worktree,
      `\`${repository.topLevel}\` was on ${then} when the run began, and is on ${now}`,
    );
  }
  const { hostSha, isAttached } = before;
  const tip = await settleTip(options, branch, before);
  const isNew = tip !== hostSha && tip !== baseSha;
  const headSha = isNew ? await merge(options, branch, tip, hostSha) : hostSha;
  return { isMerged: headSha !== hostSha, headSha, tip, isAttached };
}

interface Heads {
  readonly hostSha: string;
  readonly hostBranch: string | undefined;
  readonly worktreeSha: string;
  /** True when the worktree's HEAD is on the branch. */
  readonly isAttached: boolean;
  /** Undefined when the agent deleted or renamed the branch. */
  readonly tip: string | undefined;
}

async function readHeads(options: MergeOptions, branch: string): Promise<Heads> {
  const worktreeHead = `worktrees/${basename(options.worktree.gitDir)}/HEAD`;
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

/** Brings the branch up to the worktree's HEAD, where the agent detached it, renamed the branch or went on to one of its own. */
async function settleTip(
  options: MergeOptions,
  branch: string,
  { worktreeSha, tip }: Heads,
): Promise<string> {
  if (tip === worktreeSha) return tip;
  const call = await hostCall(options);
  const isAncestor = async (older: string, newer: string): Promise<boolean> =>
    (await git(['merge-base', '--is-ancestor', older, newer], call)).exitCode === 0;
  if (tip !== undefined && !(await isAncestor(tip, worktreeSha))) {
    if (!(await isAncestor(worktreeSha, tip))) {
      options.onWarning(
        `The worktree's HEAD is at ${worktreeSha}, which \`${branch}\` does not hold; it is not merged. Merge it with \`git merge ${worktreeSha}\`.`,
      );
    }
    return tip;
  }
  const args = ['update-ref', `refs/heads/${branch}`, worktreeSha, ...(tip === undefined ? [] : [tip])];
  const updated = await git(args, call);
  if (updated.exitCode !== 0) throw gitFailed(args, updated, call.cwd);
  return worktreeSha;
}

/** Returns HEAD after the merge. */
async function merge(options: MergeOptions, branch: string, tip: string, hostSha: string): Promise<string> {
  const { worktree } = options;
  if (await isThere(join(worktree.repository.gitDir, 'MERGE_HEAD'))) {
    throw notMerged(worktree, 'a merge of your own is under way there');
  }
  if (hostSha === worktree.baseSha) {
    const forwarded = await gitMerge(options, ['--ff-only', branch]);
    if (forwarded.exitCode === 0) return tip;
    if (!/not possible to fast-forward|diverging branches/iu.test(forwarded.stderr))
      throw refused(worktree, forwarded);
  }
  await assertNoConflict(options, tip);
  const merged = await gitMerge(options, ['--ff', branch]);
  if (merged.exitCode !== 0) {
    await undoMerge(options);
    throw refused(worktree, merged);
  }
  const head = await git(['rev-parse', 'HEAD'], await hostCall(options));
  return head.stdout.trim();
}

async function gitMerge(options: MergeOptions, args: readonly string[]): Promise<GitResult> {
  const call = await hostCall(options);
  // Without the signal: a checkout is written whole or not at all.
  const uninterrupted = { ...call, signal: undefined, timeoutMs: Math.max(call.timeoutMs, MIN_FILES_MS) };
  return git(
    ['merge', '--quiet', '--no-edit', '--commit', '--no-squash', '--no-autostash', '--no-stat', ...args],
    uninterrupted,
  );
}

/** Merges in memory first: a conflict that is known of beforehand never reaches the checkout. */
async function assertNoConflict(options: MergeOptions, tip: string): Promise<void> {
  const result = await git(
    ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', 'HEAD', tip],
    await hostCall(options),
  );
  // Any other code means a git that is too old to do this; its merge is undone if it fails.
  if (result.exitCode !== 1) return;
  const files = [
    ...new Set(
      result.stdout
        .split('\0')
        .slice(1)
        .filter((file) => file !== ''),
    ),
  ];
  throw notMerged(options.worktree, `both changed ${files.map((file) => `\`${cut(file)}\``).join(', ')}`);
}

async function undoMerge(options: MergeOptions): Promise<void> {
  const { repository } = options.worktree;
  if (!(await isThere(join(repository.gitDir, 'MERGE_HEAD')))) return;
  const call = { ...(await hostCall(options)), signal: undefined };
  const aborted = await git(['merge', '--abort'], call);
  if (aborted.exitCode !== 0) throw gitFailed(['merge', '--abort'], aborted, repository.topLevel);
}

/** What is told of the branch that goes. */
export interface DeleteMergedBranchOptions extends Pick<
  MergeOptions,
  'worktree' | 'timeoutMs' | 'onWarning'
> {
  /** A worktree that stays is left on the same commit, with HEAD detached. */
  readonly isWorktreeGone: boolean;
}

/** Deletes a branch that was merged, unless it moved since. What fails is a warning: the work is merged. */
export async function deleteMergedBranch(
  { tip, isAttached }: MergeOutcome,
  { isWorktreeGone, ...options }: DeleteMergedBranchOptions,
): Promise<void> {
  const { branch } = options.worktree;
  if (branch === undefined) return;
  const call = await hostCall(options);
  const detached =
    isAttached && !isWorktreeGone
      ? await git(['update-ref', '--no-deref', 'HEAD', tip], {
          ...call,
          paths: worktreePaths(options.worktree),
        })
      : undefined;
  const deleted = await git(['update-ref', '-d', `refs/heads/${branch}`, tip], call);
  const failed = [detached, deleted].find((result) => result !== undefined && result.exitCode !== 0);
  if (failed === undefined) return;
  options.onWarning(
    `The merged branch \`${branch}\` could not be deleted: ${cut(failed.stderr.trim())} Delete it with \`git branch -D ${branch}\`.`,
  );
}

async function hostCall({
  worktree,
  timeoutMs,
  signal,
}: Pick<MergeOptions, 'worktree' | 'timeoutMs' | 'signal'>): Promise<GitOptions> {
  const { repository } = worktree;
  return {
    timeoutMs,
    signal,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
    config: (await repository.trustedConfig()).neutralFilters,
  };
}

function refused(worktree: Worktree, { stderr, stdout, exitCode }: GitResult): RepositoryError {
  return notMerged(worktree, cut((stderr.trim() || stdout.trim()).replace(/^error: /u, '')), {
    exitCode,
    stderrTail: stderr.slice(-2_000),
  });
}

function notMerged(
  { branch, repository }: Worktree,
  reason: string,
  evidence: { exitCode?: number; stderrTail?: string } = {},
): RepositoryError {
  const target = repository.branch === undefined ? '' : `git checkout ${repository.branch} && `;
  return new RepositoryError(
    `\`${branch ?? 'HEAD'}\` was not merged: ${reason}. The checkout is as it was and the branch is kept. To finish, run \`${target}git merge ${branch ?? ''}\` in \`${repository.topLevel}\`, settle what git asks, and commit.`,
    { code: 'merge-conflict', ...(branch !== undefined && { branch }), ...evidence },
  );
}
