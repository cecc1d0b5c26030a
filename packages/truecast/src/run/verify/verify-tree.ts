/**
 * Verification of one commit: runs a check on a clean checkout of it, in a sandbox in which no agent
 * has worked.
 */
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import { RunMask } from '@truecast/host/internal/masking/secret-mask';
import type { CheckedCommit } from '@truecast/core/internal/output/definition/provenance';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { GitCallOptions } from '../../git/command/git.ts';
import type { TreeCheck } from '../../git/command/tree-check.ts';
import {
  moveCleanCheckout,
  openCleanCheckout,
  readCommitId,
  removeCleanCheckout,
} from '../../git/landing/clean-checkout.ts';
import { verifyWorktree } from '../../git/worktree/verify.ts';
import type { WorktreePreparation } from '../../git/command/worktree-preparation.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { removeGuestStores } from '../../guest-git/guest-git.ts';
import type { Repository } from '../../git/repository/repository.ts';
import { gitCallOf, type PlaceContext } from '../context/run-context.ts';
import type { SandboxOpening } from '../context/workspace.ts';
import { runWorktreeHooks } from '../prepare/run-hooks.ts';
import { copyFiles } from '../places/open-worktree.ts';
import { closeSandbox, openSandbox } from '../places/open-sandbox.ts';
import { checkInTime } from './check-time.ts';

/** Inputs of a verification. */
export interface VerifyTreeOptions {
  readonly repository: Repository;
  /** Full id. */
  readonly commit: string;
  readonly opening: SandboxOpening;
  /** Preparation that the checkout gets too. @default none: only the commit's files */
  readonly preparation?: WorktreePreparation | undefined;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  readonly check: TreeCheck;
}

export interface TreeVerdict extends CheckedCommit {
  /** The objection. Undefined if the check passed. */
  readonly reason: string | undefined;
}

/**
 * Checks out exactly one commit in a throw-away worktree, starts the sandbox anew around it, runs
 * the check, and removes both.
 *
 * clean checkout of the prepared commit → copied files → host hooks → tracked files of the verified
 * commit → sandbox → its hooks → check
 *
 * Host hooks run on the commit of the preparation: on the verified commit they would run what an
 * agent wrote on the host. A check that throws has no verdict: its error is passed on.
 *
 * @throws RepositoryError, SandboxError; the error of the check; the signal's reason
 */
export async function verifyTree(given: VerifyTreeOptions): Promise<TreeVerdict> {
  const mask = new RunMask();
  mask.learn({ inside: given.opening.env, host: process.env });
  const options = { ...given, warn: (message: string) => given.warn(mask.mask(message)) };
  const { repository, preparation, signal } = options;
  const startedAtMs = performance.now();
  const context = toContext(options);
  const call = gitCallOf(context);
  const { commit, tree } = await readCommitId(repository, options.commit, call);
  const isPrepared = changesFiles(context);
  const first = isPrepared ? (preparation?.commit ?? commit) : commit;
  const checkout = await openCleanCheckout({ ...call, repository, commit: first });
  try {
    // Otherwise it has the verified commit's files already.
    if (isPrepared) await prepare(context, checkout, { commit, call });
    const reason = await checkInSandbox(context, { ...checkout, baseSha: commit }, options);
    const durationMs = Math.round(performance.now() - startedAtMs);
    const verdict = { commit, tree, durationMs };
    // The reason and an exception often quote the output of a command, which can print a secret.
    if (reason !== undefined) return { ...verdict, verdict: 'failed', reason: mask.mask(reason) };
    return { ...verdict, verdict: 'passed', reason };
  } catch (error) {
    throw signal.aborted && error === signal.reason ? error : maskValue(error, mask);
  } finally {
    await removeCleanCheckout(checkout, context.options.timeouts.gitSetupMs);
  }
}

/** The run's context, with the preparation of its worktree. */
function toContext({ opening, preparation, signal, warn }: VerifyTreeOptions): PlaceContext {
  const { settings } = opening;
  const { hooks, copyToWorktree = [] } = settings;
  const { copied = [], hostCommands = [] } = preparation ?? {};
  const onSandboxReady = hooks?.host?.onSandboxReady ?? [];
  return {
    signal,
    warn,
    options: {
      ...settings,
      copyToWorktree: [...new Set([...copied, ...copyToWorktree])],
      hooks: {
        // Those of the host all run before the verified commit is there.
        host: { onWorktreeReady: [...hostCommands, ...onSandboxReady] },
        ...(hooks?.sandbox !== undefined && { sandbox: hooks.sandbox }),
      },
    },
  };
}

/** Returns true if files are copied, or if a program of the host runs, before the check. */
function changesFiles({ options: { copyToWorktree, hooks } }: PlaceContext): boolean {
  return (copyToWorktree ?? []).length > 0 || (hooks?.host?.onWorktreeReady ?? []).length > 0;
}

async function prepare(
  context: PlaceContext,
  checkout: LockedWorktree,
  { commit, call }: { readonly commit: string; readonly call: GitCallOptions },
): Promise<void> {
  // The run has already told about missing files.
  await copyFiles({ ...context, warn: () => undefined }, checkout);
  await runWorktreeHooks(context.options.hooks, { worktreePath: checkout.path, signal: context.signal });
  await moveCleanCheckout(checkout, commit, call);
}

async function checkInSandbox(
  context: PlaceContext,
  checkout: LockedWorktree,
  { opening, check, signal }: VerifyTreeOptions,
): Promise<string | undefined> {
  const { strategy, commonDir, gitDir } = checkout;
  const setup = { ...context, options: { ...context.options, branchStrategy: strategy } };
  // Only these: what was read before the agent worked does not fit any more.
  const { sandbox, env, readonlyPaths, egress, modelAccess } = opening;
  const opened = await openSandbox(setup, {
    sandbox,
    env,
    readonlyPaths,
    egress,
    modelAccess,
    worktree: checkout,
    hasFinalizerFolder: false,
  });
  const { handle, snapshot } = opened;
  const { checkMs, gitSetupMs: timeoutMs } = context.options.timeouts;
  try {
    const reason: unknown = await checkInTime(
      (inTime) =>
        check({
          worktreePath: checkout.path,
          cwd: handle.worktreePath,
          exec: (command, more) => handle.exec(command, { signal: inTime, ...more }),
          signal: inTime,
        }),
      { signal, checkMs },
    );
    if (reason === undefined || typeof reason === 'string') return reason;
    throw new UsageError(
      `Expected \`check\` to return undefined or the reason of its refusal, got ${describeValue(reason)}. Return undefined to accept the files.`,
    );
  } finally {
    await closeSandbox(opened);
    // A later run would recover work from it, and a check does none.
    await removeGuestStores(commonDir, gitDir);
    if (snapshot !== undefined) await verifyWorktree(snapshot, { timeoutMs });
  }
}
