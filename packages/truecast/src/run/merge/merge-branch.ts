/** Merge of one branch: plan → review → check → landing, again while the target moves. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import { removeReferenceLocks } from '../../git/checkout/stale-locks.ts';
import { branchLockKey } from '../../git/command/branch-name.ts';
import { findIds } from '../../git/command/find-commit.ts';
import { git, gitOutput, type GitOptions } from '../../git/command/git.ts';
import { acquireLock } from '../../git/command/lock.ts';
import { afterLanding } from '../../git/landing/after-landing.ts';
import { landCommit } from '../../git/landing/land-commit.ts';
import { inMergeQueue } from '../../git/landing/merge-queue.ts';
import { landPlanned, planLanding, type Landing } from '../../git/landing/plan-landing.ts';
import type { Repository } from '../../git/repository/repository.ts';
import { withMergeLock, type MergeOutcome, type MergeToHeadOptions } from '../../git/worktree/merge.ts';
import { listWorktrees } from '../../git/worktree/worktree-list.ts';
import { hostCall, type MergeSource } from '../../git/worktree/write-merge.ts';
import type { SandboxOpening } from '../context/workspace.ts';
import type { MergeOptions, MergeResult } from '../options/merge-options.ts';
import type { Timeouts } from '../options/run-bounds.ts';
import { readHostPrograms } from '../review/read-host-programs.ts';
import { reviewTree } from '../review/review-tree.ts';
import {
  combineChanges,
  listedChanges,
  type SensitiveChangesPolicy,
} from '../review/sensitive-changes-policy.ts';
import { assertPassed } from '../settle/land-checked.ts';
import { refuseSecrets } from '../settle/refuse-secrets.ts';
import { assertMergeable } from '../settle/settle-review.ts';
import type { PolicyLevel } from '../../support/policy-level.ts';
import { verifyTree, type TreeVerdict } from '../verify/verify-tree.ts';

/** Inputs of every merge of one call. */
export interface MergeContext {
  readonly options: Pick<
    MergeOptions,
    'into' | 'strategy' | 'message' | 'check' | 'copyToWorktree' | 'hooks' | 'deleteBranch'
  >;
  readonly repository: Repository;
  /** How the sandbox of a check is started. Undefined without a check. */
  readonly opening: SandboxOpening | undefined;
  /** Declared variables, whose values must not be in a commit. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly timeouts: Required<Timeouts>;
  readonly sensitiveChanges: SensitiveChangesPolicy;
  readonly secretsInCommits: PolicyLevel;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/** One branch on its way. */
interface Merging extends MergeContext {
  readonly source: MergeSource;
  readonly branch: string;
  readonly into: string;
  /** Options of git calls in the caller's checkout. */
  readonly call: GitOptions;
}

/**
 * Lands one branch.
 *
 * @throws RepositoryError, SandboxError; the error of the check; the signal's reason
 */
export async function mergeBranch(context: MergeContext, branch: string): Promise<MergeResult> {
  const { repository, options, timeouts, signal } = context;
  const { commonDir } = repository;
  const into = options.into ?? repository.branch;
  if (into === undefined) {
    throw new RepositoryError(
      `\`${branch}\` was not merged: HEAD of \`${repository.topLevel}\` is detached, so no branch would move. Pass \`into\`, or check out a branch.`,
      { code: 'invalid-branch', branch },
    );
  }
  const now = new Date();
  const command = `merge() of ${branch} into ${into}`;
  // A run that still works there would add commits after the check.
  const lock = await acquireLock({
    commonDir,
    key: branchLockKey(branch),
    subject: `The branch \`${branch}\``,
    command,
    now,
  });
  try {
    const source: MergeSource = { repository, commonDir, branch, into, baseSha: '', gitDir: undefined };
    const call = await hostCall({ worktree: source, timeoutMs: timeouts.mergeToHostMs, signal });
    const merging: Merging = { ...context, source, branch, into, call };
    // Without a check, all is done under the lock of merges: the target then moves under no merge.
    const limits = limitsOf(merging);
    if (options.check === undefined) {
      return await withMergeLock(limits, () => mergeOne(merging, (work) => work()));
    }
    return await inMergeQueue({ commonDir, into, command, signal }, () =>
      mergeOne(merging, (work) => withMergeLock(limits, work)),
    );
  } finally {
    await lock.release();
  }
}

function limitsOf({ source, timeouts, signal, warn }: Merging): MergeToHeadOptions {
  return { worktree: source, timeoutMs: timeouts.mergeToHostMs, signal, now: new Date(), onWarning: warn };
}

/** Runs a landing under the lock of merges. */
type Locked = (work: () => Promise<MergeOutcome>) => Promise<MergeOutcome>;

async function mergeOne(merging: Merging, locked: Locked): Promise<MergeResult> {
  const { source, branch, into, options, call, warn } = merging;
  const { tip, ...found } = await readTips(merging);
  let target: string | undefined = found.onto;
  const { strategy, message } = options;
  const limits = limitsOf(merging);
  const { outcome, accepted } = await landPlanned(source, {
    async plan() {
      // A further plan is made because the target has moved.
      const onto = target ?? (await readBranch(merging, into));
      target = undefined;
      return planLanding({ ...limits, onto, strategy, message }, tip);
    },
    async accept(landing) {
      const { commit, onto } = landing;
      // The branch has nothing new.
      if (commit === onto) return undefined;
      const changes = await review(merging, landing);
      const checked = await check(merging, landing);
      const listed = await gitOutput(['rev-list', '--topo-order', '--reverse', `${onto}..${tip}`], call);
      return {
        commits: listed
          .trim()
          .split('\n')
          .map((sha) => ({ sha })),
        sensitiveChanges: listedChanges(changes, merging.sensitiveChanges),
        ...(checked !== undefined && { check: checked }),
      };
    },
    async land(landing) {
      const { commit, onto } = landing;
      if (commit === onto) return { isMerged: false, headSha: onto, tip, isAttached: false };
      return locked(() => landCommit({ ...limits, landing, into }));
    },
  });
  const result = { branch, into, sha: outcome.headSha };
  if (options.deleteBranch === true) {
    const missing = `\`${branch}\` was not deleted. Delete it with \`git branch -D ${branch}\`.`;
    const remove = (): Promise<void> => deleteBranch(merging, tip);
    await (outcome.isMerged ? afterLanding(remove, { missing, onWarning: warn }) : remove());
  }
  if (accepted === undefined) return { ...result, isMerged: false, commits: [], sensitiveChanges: [] };
  return { ...result, isMerged: true, ...accepted };
}

/** Reads both branches, by one git if they exist. */
async function readTips(merging: Merging): Promise<{ readonly tip: string; readonly onto: string }> {
  const { branch, into, call } = merging;
  const names = [branch, into].map((name) => `refs/heads/${name}^{commit}`);
  const [tip, onto] = (await findIds(names, call)) ?? [];
  if (tip !== undefined && onto !== undefined) return { tip, onto };
  return { tip: await readBranch(merging, branch), onto: await readBranch(merging, into) };
}

async function readBranch({ call, repository }: Merging, branch: string): Promise<string> {
  const found = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`], call);
  if (found.exitCode === 0) return found.stdout.trim();
  throw new RepositoryError(
    `There is no branch \`${branch}\` in \`${repository.topLevel}\`. \`git branch --list\` lists those that exist.`,
    { code: 'invalid-branch', branch },
  );
}

/** @throws RepositoryError `sensitive-changes`, `secret-in-commits` */
async function review(merging: Merging, { onto, tip, commit }: Landing): Promise<readonly SensitiveChange[]> {
  const { secrets, repository, source, call, sensitiveChanges, secretsInCommits: policy, warn } = merging;
  const limits = { timeoutMs: call.timeoutMs, signal: merging.signal };
  const programs = readHostPrograms(repository, limits);
  const reading = { readPrograms: () => programs, call };
  const [own, merged] = await Promise.all([
    reviewTree({ ...reading, base: onto, tip, sinceMergeBase: true }),
    // What the merge writes: renames can move a file to another path.
    commit === tip ? [] : reviewTree({ ...reading, base: onto, tip: commit, sinceMergeBase: false }),
  ]);
  const changes = combineChanges(own, merged);
  assertMergeable({ worktree: source, changes, policy: sensitiveChanges });
  const worktree = { ...source, baseSha: onto, path: repository.topLevel };
  await refuseSecrets({ ...limits, worktree, env: secrets, range: { tip, without: [onto] }, policy, warn });
  return changes;
}

/** @throws RepositoryError `check-failed` */
async function check(
  merging: Merging,
  { commit, onto }: Landing,
): Promise<Omit<TreeVerdict, 'reason'> | undefined> {
  const { options, opening, repository, source, signal, warn } = merging;
  const { check: accepts, copyToWorktree, hooks } = options;
  if (accepts === undefined || opening === undefined) return undefined;
  const { reason, ...verdict } = await verifyTree({
    repository,
    commit,
    opening,
    // Host hooks run on the target's files, which no agent has changed.
    preparation: {
      commit: onto,
      copied: copyToWorktree ?? [],
      hostCommands: hooks?.host?.onWorktreeReady ?? [],
    },
    signal,
    warn,
    check: accepts,
  });
  assertPassed(source, { reason, commit });
  return verdict;
}

/** The work has landed, so a failure is a warning. */
async function deleteBranch({ repository, branch, call, warn }: Merging, tip: string): Promise<void> {
  const holder = (await listWorktrees(repository, call)).find((entry) => entry.branch === branch);
  // Of a deletion that was killed.
  await removeReferenceLocks([`refs/heads/${branch}`], {
    path: repository.mainTopLevel,
    commonDir: repository.commonDir,
  });
  const deleted =
    holder === undefined ? await git(['update-ref', '-d', `refs/heads/${branch}`, tip], call) : undefined;
  if (deleted?.exitCode === 0) return;
  const why =
    deleted === undefined ? `it is checked out in \`${holder?.path}\`.` : cut(deleted.stderr.trim());
  warn(
    `The merged branch \`${branch}\` could not be deleted: ${why} Delete it with \`git branch -D ${branch}\`.`,
  );
}
