/** Landing of a run's branch: merge or publication, of exactly what was reviewed and checked. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import { isAncestor, readFinalCommit, readTip } from '../../git/landing/final-commit.ts';
import { isTemporaryBranch } from '../../git/command/branch-name.ts';
import { hostCall } from '../../git/worktree/write-merge.ts';
import type { CollectedCommits } from '../../git/worktree/commits.ts';
import { mergeToHead, type MergeToHeadOptions, type MergeOutcome } from '../../git/worktree/merge.ts';
import type { EarlyReads } from './early-reads.ts';
import { readStatus } from '../../git/worktree/status.ts';
import { worktreePaths, type LockedWorktree } from '../../git/worktree/worktree.ts';
import {
  commitsIn,
  landChecked,
  movedAfterCheck,
  type CommitCheck,
  type LandingChecks,
  type VerifiedCommit,
} from './land-checked.ts';
import { publishBranch } from './publish-branch.ts';
import type { SettledContext } from '../context/run-context.ts';
import { refuseSecrets } from './refuse-secrets.ts';

/** Knowledge about the work of an agent that has ended. */
export interface KnownOfWork {
  /** Git reads that were started when the sandbox was closed. */
  readonly early?: EarlyReads | undefined;
  /** Subject of an accepted check: the current files with `head`, else a commit. */
  readonly checked?: 'files' | VerifiedCommit | undefined;
  /** True after a question or a refusal: nothing is merged or published. */
  readonly isHeldBack?: boolean | undefined;
  /** The check of the branch strategy. Undefined only if the strategy has none. */
  readonly mergeCheck: CommitCheck | undefined;
}

export interface Landed {
  readonly merged: MergeOutcome | undefined;
  readonly pullRequestUrl: string | undefined;
  /** The verified commit, if the branch has moved since. */
  readonly moved: VerifiedCommit | undefined;
}

/** Merges or publishes the branch as requested. A verified commit lands by its id. */
export async function land(
  context: SettledContext,
  merging: MergeToHeadOptions,
  {
    looking,
    checked,
    mergeCheck,
    isHeldBack = false,
  }: { readonly looking: Promise<readonly [CollectedCommits, unknown]> } & Omit<KnownOfWork, 'early'>,
): Promise<Landed> {
  const { options } = context;
  if (isHeldBack) return { merged: undefined, pullRequestUrl: undefined, moved: undefined };
  const verified = checked === 'files' ? undefined : checked;
  const tip = await landingTip(context, looking, { verified, mergeCheck });
  const moved = verified === undefined || tip === verified.commit ? undefined : verified;
  if (options.publish !== undefined) {
    const pullRequestUrl = await publish(context, await looking, verified?.commit ?? tip);
    return { merged: undefined, pullRequestUrl, moved };
  }
  if (options.branchStrategy.type !== 'merge-to-head') {
    return { merged: undefined, pullRequestUrl: undefined, moved };
  }
  const merged = await landBranch(context, merging, { verified, mergeCheck, tip });
  return { merged, pullRequestUrl: undefined, moved };
}

/** Returns true for a temporary branch with commits of an earlier run that have not landed. */
function isContinued({ branch, isNewBranch, strategy }: LockedWorktree): boolean {
  return strategy.type !== 'head' && !isNewBranch && isTemporaryBranch(branch ?? '');
}

/** Merges all of a continued branch, and of a new one what this run has added. */
async function landBranch(
  { workspace: { worktree } }: SettledContext,
  merging: MergeToHeadOptions,
  { tip, ...checks }: LandingChecks & { readonly tip: string | undefined },
): Promise<MergeOutcome> {
  if (checks.verified !== undefined || checks.mergeCheck !== undefined) {
    return landChecked(merging, checks.verified?.commit ?? tip ?? worktree.baseSha, checks);
  }
  if (!isContinued(worktree)) return mergeToHead(merging);
  await merging.after;
  return landChecked(merging, await readFinalCommit(worktree, { timeoutMs: merging.timeoutMs }), checks);
}

/** Returns the branch's tip, if a check or a publication depends on it. */
async function landingTip(
  { options, workspace: { worktree } }: SettledContext,
  looking: Promise<unknown>,
  { verified, mergeCheck }: LandingChecks,
): Promise<string | undefined> {
  const isReturned = options.branchStrategy.type === 'branch' && options.publish === undefined;
  const isChecked = verified !== undefined || mergeCheck !== undefined;
  if (!isChecked && options.publish === undefined) return undefined;
  await looking;
  const tip = await readTip(worktree, { timeoutMs: options.timeouts.commitCollectionMs });
  if (verified === undefined || !isReturned || tip === verified.commit) return tip;
  throw movedAfterCheck(worktree, verified, tip);
}

/** Before the worktree is removed: a failure keeps it. */
async function publish(
  context: SettledContext,
  [{ commits }]: readonly [CollectedCommits, unknown],
  tip: string | undefined,
): Promise<string | undefined> {
  const { options, workspace, warn } = context;
  if (tip === undefined || (commits.length === 0 && !(await hasOpenCommits(context, tip)))) return undefined;
  const { name, timeouts } = options;
  const { worktree } = workspace;
  await searchCommits(context, tip, []);
  return publishBranch({ worktree, tip, commits, name, timeoutMs: timeouts.publishMs, warn });
}

/** Returns true if an earlier run left commits on the branch, such as before a question. */
async function hasOpenCommits(
  { options, workspace: { worktree } }: SettledContext,
  tip: string,
): Promise<boolean> {
  if (!isContinued(worktree)) return false;
  const call = { timeoutMs: options.timeouts.commitCollectionMs };
  const range = { older: tip, newer: worktree.repository.headSha };
  return !(await isAncestor(worktree, range, await hostCall({ worktree, ...call })));
}

/** Commit without the commits that can land: earlier ones of the caller. */
function landedBefore(worktree: LockedWorktree): string {
  return isContinued(worktree) ? worktree.repository.headSha : worktree.baseSha;
}

/** Looks for secrets in the commits that are about to land. */
export function searchCommits(
  { options, workspace: { worktree, opening, agentEnv }, warn }: SettledContext,
  tip: string,
  known: readonly string[],
): Promise<void> {
  return refuseSecrets({
    worktree,
    env: { ...opening.env, ...agentEnv },
    range: { tip, without: [landedBefore(worktree), ...known] },
    policy: options.secretsInCommits ?? 'error',
    warn,
    timeoutMs: options.timeouts.commitCollectionMs,
  });
}

/** A program of the agent can commit after the check. Such commits stay on the branch. */
export function landedCommits(
  { options, workspace: { worktree }, warn }: SettledContext,
  { commits }: CollectedCommits,
  { commit }: VerifiedCommit,
): Promise<CommitRef[]> {
  warn(
    `\`${worktree.branch ?? 'HEAD'}\` moved after its check. Only ${commit} was checked, so nothing later landed. The branch is kept.`,
  );
  return commitsIn(worktree, { commits, tip: commit }, { timeoutMs: options.timeouts.commitCollectionMs });
}

/** Nothing lands with `head`, so the check is not repeated on a commit. */
export async function warnAboutDirtyFiles({ options, workspace, warn }: SettledContext): Promise<void> {
  const { baseSha: trustedCommit, repository, ...worktree } = workspace.worktree;
  const { statusFilters: trustedConfig } = repository;
  const { dirtyPaths } = await readStatus(
    { paths: worktreePaths(worktree), trustedCommit, trustedConfig },
    { timeoutMs: options.timeouts.commitCollectionMs },
  );
  if (dirtyPaths.length === 0) return;
  const paths = dirtyPaths.map((path) => `\`${cut(path)}\``).join(', ');
  warn(
    `The check passed in the working tree, which has uncommitted changes: ${paths}. It was not run on a commit.`,
  );
}
