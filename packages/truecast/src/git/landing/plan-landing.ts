/**
 * Plan of a merge: the commit to which the target will move. It exists before anything is merged, so
 * that it can be reviewed and checked.
 */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { mergeMessage, readMergedTree } from '../checkout/merged-tree.ts';
import { isSetTrue } from '../command/config-entries.ts';
import { relationOf } from '../command/find-commit.ts';
import { gitOutput, type GitOptions } from '../command/git.ts';
import {
  assertCommonHistory,
  notMerged,
  type MergeOutcome,
  type MergeToHeadOptions,
} from '../worktree/merge.ts';
import { hostCall, type HostCallOptions, type MergeSource } from '../worktree/write-merge.ts';

/** A planned landing. Its commit differs from the tip if the target has moved, and for a squash. */
export type Landing = NonNullable<MergeToHeadOptions['landing']>;

/**
 * Form of the commit that lands. `merge`: the tip, or a merge commit if the target has moved.
 * `squash`: one commit with all changes. `ff-only`: the tip, or an error.
 */
export type MergeStrategy = 'merge' | 'squash' | 'ff-only';

export interface PlanOptions extends HostCallOptions {
  /** Full id of the commit of the reference that will move, read just now. @default `HEAD` of the caller's checkout */
  readonly onto?: string | undefined;
  /** @default 'merge' */
  readonly strategy?: MergeStrategy | undefined;
  /** Message of a new commit. @default git's own for a merge */
  readonly message?: string | undefined;
}

/** How often a target can move while the merge with it is checked. */
const MAX_PLANS = 5;

/** Steps of a landing, repeated while the target moves. */
export interface LandingSteps<TAccepted> {
  plan(): Promise<Landing>;
  /** Accepts the planned commit, without the merge lock. Throws to refuse it. */
  accept(landing: Landing): Promise<TAccepted>;
  land(landing: Landing): Promise<MergeOutcome>;
}

/**
 * Lands what was planned and accepted. If the target has moved meanwhile, all steps are repeated, at most
 * five times.
 *
 * @throws RepositoryError `merge-conflict` after five moves; the errors of the steps
 */
export async function landPlanned<TAccepted>(
  source: MergeSource,
  steps: LandingSteps<TAccepted>,
): Promise<{ readonly outcome: MergeOutcome; readonly accepted: TAccepted }> {
  for (let plans = 0; plans < MAX_PLANS; plans += 1) {
    const landing = await steps.plan();
    const accepted = await steps.accept(landing);
    const outcome = await steps.land(landing);
    if (outcome.hasMoved !== true) return { outcome, accepted };
  }
  throw notMerged(source, `the target moved ${MAX_PLANS} times while the merge with it was checked`);
}

/**
 * Plans the landing of a commit on the current target. A new commit is made without a checkout.
 *
 * @throws RepositoryError `merge-conflict`; `check-failed` if git is too old for such a merge
 */
export async function planLanding(options: PlanOptions, tip: string): Promise<Landing> {
  const { worktree, strategy = 'merge' } = options;
  const call = await hostCall(options);
  const onto = options.onto ?? (await gitOutput(['rev-parse', '--verify', 'HEAD^{commit}'], call)).trim();
  const relation = await relationOf({ older: onto, newer: tip }, call);
  if (relation === 'contained') return { onto, tip, commit: onto };
  const isAhead = relation === 'ahead';
  if (isAhead && strategy !== 'squash') return { onto, tip, commit: tip };
  if (strategy === 'ff-only') {
    throw notMerged(worktree, 'the target has commits of its own, and `ff-only` makes no merge');
  }
  const tree = isAhead ? `${tip}^{tree}` : await mergedTree(options, { onto, tip }, call);
  return { onto, tip, commit: await commitTree(options, { onto, tip }, tree, call) };
}

async function mergedTree(
  { worktree }: PlanOptions,
  { onto, tip }: Pick<Landing, 'onto' | 'tip'>,
  call: GitOptions,
): Promise<string> {
  const { tree, conflicts } = await readMergedTree(onto, tip, call);
  if (conflicts.length > 0) {
    throw notMerged(worktree, `both changed ${conflicts.map((file) => `\`${cut(file)}\``).join(', ')}`);
  }
  if (tree !== undefined) return tree;
  await assertCommonHistory(worktree, { hostSha: onto, tip }, call);
  throw new RepositoryError(
    `\`${worktree.branch ?? 'HEAD'}\` was not merged: the target has moved, and this git cannot merge in memory, so the merged files cannot be checked. Update git to 2.38 or later, or merge by hand and run the check.`,
    { code: 'check-failed' },
  );
}

async function commitTree(
  { worktree, strategy, message }: PlanOptions,
  { onto, tip }: Pick<Landing, 'onto' | 'tip'>,
  tree: string,
  call: GitOptions,
): Promise<string> {
  const { branch = 'HEAD' } = worktree;
  const isSquash = strategy === 'squash';
  const text =
    message ??
    (await (isSquash ? squashMessage(branch, { onto, tip }, call) : mergeMessage(branch, tip, call)));
  const sign = isSetTrue(await worktree.repository.configEntries(), 'commit.gpgsign') ? ['-S'] : [];
  const parents = isSquash ? ['-p', onto] : ['-p', onto, '-p', tip];
  return (await gitOutput(['commit-tree', tree, ...parents, ...sign, '-m', text], call)).trim();
}

/** The message of the only commit, or those of all, oldest first. */
async function squashMessage(
  branch: string,
  { onto, tip }: Pick<Landing, 'onto' | 'tip'>,
  call: GitOptions,
): Promise<string> {
  const log = await gitOutput(['log', '--reverse', '--format=%B%x00', `${onto}..${tip}`], call);
  const messages = log
    .split('\0')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  return messages.length === 1
    ? (messages[0] ?? '')
    : [`Squash branch '${branch}'`, ...messages].join('\n\n');
}
