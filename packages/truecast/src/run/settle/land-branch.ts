/** Landing of a run's branch: merge or publication, of exactly what was reviewed and checked. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import { readTip } from '../../git/landing/final-commit.ts';
import type { CollectedCommits } from '../../git/worktree/commits.ts';
import { mergeToHead, type MergeToHeadOptions, type MergeOutcome } from '../../git/worktree/merge.ts';
import type { EarlyReads } from './early-reads.ts';
import { readStatus } from '../../git/worktree/status.ts';
import { worktreePaths } from '../../git/worktree/worktree.ts';
import { commitsIn, landVerified, movedAfterCheck, type VerifiedCommit } from './land-verified.ts';
import { publishBranch } from './publish-branch.ts';
import type { SettledContext } from '../context/run-context.ts';
import { refuseSecrets } from './refuse-secrets.ts';

/** Knowledge about the work of an agent that has ended. */
export interface KnownOfWork {
  /** Git reads that were started when the sandbox was closed. */
  readonly early?: EarlyReads | undefined;
  /** Subject of an accepted check: the current files with `head`, else a commit. */
  readonly checked?: 'files' | VerifiedCommit | undefined;
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
  }: { readonly looking: Promise<readonly [CollectedCommits, unknown]> } & Pick<KnownOfWork, 'checked'>,
): Promise<Landed> {
  const { options } = context;
  const verified = checked === 'files' ? undefined : checked;
  const tip = await landingTip(context, looking, verified);
  const moved = verified === undefined || tip === verified.commit ? undefined : verified;
  if (options.publish !== undefined) {
    const pullRequestUrl = await publish(context, await looking, verified?.commit ?? tip);
    return { merged: undefined, pullRequestUrl, moved };
  }
  if (options.branchStrategy.type !== 'merge-to-head') {
    return { merged: undefined, pullRequestUrl: undefined, moved };
  }
  const merged = await (verified === undefined ? mergeToHead(merging) : landVerified(merging, verified));
  return { merged, pullRequestUrl: undefined, moved };
}

/** Returns the branch's tip, if a check or a publication depends on it. */
async function landingTip(
  { options, workspace: { worktree } }: SettledContext,
  looking: Promise<unknown>,
  verified: VerifiedCommit | undefined,
): Promise<string | undefined> {
  const isReturned = options.branchStrategy.type === 'branch' && options.publish === undefined;
  if (verified === undefined && options.publish === undefined) return undefined;
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
  if (commits.length === 0 || tip === undefined) return undefined;
  const { name, timeouts } = options;
  const { worktree } = workspace;
  await searchCommits(context, tip, []);
  return publishBranch({ worktree, tip, commits, name, timeoutMs: timeouts.publishMs, warn });
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
    range: { tip, without: [worktree.baseSha, ...known] },
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
