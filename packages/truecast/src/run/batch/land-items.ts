/** Landing of a batch's items: one after the other, in the order in which their runs end. */
import { resolve } from 'node:path';
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { toStreamAgent } from '../../agents/stream/line-agent.ts';
import { git, type GitOptions } from '../../git/command/git.ts';
import { isAncestor } from '../../git/landing/final-commit.ts';
import { pathsOf, type Repository } from '../../git/repository/repository.ts';
import { mergeBranch, type MergeContext } from '../merge/merge-branch.ts';
import { openMergeContext } from '../merge/open-merge-context.ts';
import { divideTimeouts } from '../options/sandbox-options.ts';
import type { BatchItem, BatchResult, BatchSuccess } from './batch-queue.ts';
import { describeError } from './batch-result.ts';
import type { NormalizedBatchOptions } from './normalize-batch-options.ts';
import { openPendingLandings, type PendingLanding } from './pending-landings.ts';

/** The landings of one batch. */
export interface ItemLandings {
  /**
   * Returns the result of an item whose run ended before a kill. It is `merged` if its branch has landed.
   * Undefined if the item must run.
   */
  recall(item: BatchItem): Promise<BatchSuccess | undefined>;
  /**
   * Lands the branch of an item after those that came before, and passes the result on. Resolves when
   * another item can wait, so the worker is free for its next item.
   */
  add(item: BatchItem, result: BatchSuccess, end: EndOfItem): Promise<void>;
  /** Forgets an item whose result is stored. */
  forget(item: BatchItem): void;
  /** Resolves when every landing has ended. */
  settle(): Promise<void>;
}

/** Stores the result of an item. Without one, the batch was ended before its landing. */
export type EndOfItem = (result: BatchResult | undefined) => Promise<void>;

export interface ItemLandingOptions {
  readonly normalized: NormalizedBatchOptions;
  /** Folder in the repository. */
  readonly cwd: string;
  readonly repository: Repository;
  /** Ends the batch, with the reason of the abort. */
  readonly stop: AbortController;
}

/** Results in memory, and how far branches fall behind the target. */
const MAX_WAITING = 100;

/**
 * Prepares the landings. Undefined if the batch merges nothing.
 *
 * @throws UsageError, RepositoryError for a sandbox in which no check could run
 */
export async function openItemLandings({
  normalized,
  cwd,
  repository,
  stop,
}: ItemLandingOptions): Promise<ItemLandings | undefined> {
  const { batch } = normalized;
  if (batch.branchStrategy === undefined) return undefined;
  const context = await contextOf({ ...normalized, cwd }, repository, stop.signal);
  // Without results of an earlier start, nothing is continued.
  const isResumable = batch.out !== undefined || batch.queue !== undefined;
  const scope = batch.out === undefined ? 'queue' : resolve(batch.out);
  const pending = isResumable ? openPendingLandings(repository.commonDir, scope) : undefined;
  const waiting = new Set<Promise<void>>();
  let last: Promise<void> = Promise.resolve();
  const landNext = async (result: BatchSuccess, end: EndOfItem): Promise<void> => {
    try {
      await end(stop.signal.aborted ? undefined : await land(context, result));
    } catch (error) {
      // A failing queue or results file ends the batch, because further results would be lost.
      stop.abort(error);
    }
  };
  return {
    async recall(item) {
      const found = pending?.read(item);
      return found === undefined ? undefined : resultOf(context, found);
    },
    async add(item, result, end) {
      const tip = pending === undefined ? undefined : await readTip(context, result.branch);
      if (tip !== undefined) pending?.write(item, { result, tip });
      const landing = last.then(() => landNext(result, end));
      last = landing;
      waiting.add(landing);
      void landing.then(() => waiting.delete(landing));
      if (waiting.size >= MAX_WAITING) await Promise.race(waiting);
    },
    forget: (item) => pending?.remove(item),
    settle: () => last,
  };
}

function contextOf(
  { batch, run, cwd }: NormalizedBatchOptions,
  repository: Repository,
  signal: AbortSignal,
): Promise<MergeContext> {
  const { sandbox, env, hooks, copyToWorktree, policies, timeouts } = run;
  const { sensitiveChanges, secretsInCommits } = policies ?? {};
  const options = {
    cwd,
    sandbox,
    timeouts: divideTimeouts(timeouts ?? {}).steps,
    deleteBranch: true,
    policies: {
      ...(sensitiveChanges !== undefined && { sensitiveChanges }),
      ...(secretsInCommits !== undefined && { secretsInCommits }),
    },
    ...(batch.branchStrategy?.check !== undefined && { check: batch.branchStrategy.check }),
    ...(env !== undefined && { env }),
    ...(hooks !== undefined && { hooks }),
    ...(copyToWorktree !== undefined && { copyToWorktree }),
  };
  return openMergeContext(options, {
    repository,
    agent: toStreamAgent(run.agent),
    signal,
    // Each landing has its own, because the warnings are those of its result.
    warn: () => undefined,
  });
}

/** Returns undefined if the batch was ended before the landing. */
async function land(context: MergeContext, result: BatchSuccess): Promise<BatchResult | undefined> {
  const { branch, warnings: told = [], ...line } = result;
  const warnings = [...told];
  if (branch === undefined) return result;
  try {
    const { into } = await mergeBranch(
      { ...context, warn: (message) => void warnings.push(message) },
      branch,
    );
    return { ...line, ...(warnings.length > 0 && { warnings }), branch: into, merged: true };
  } catch (error) {
    if (InterruptedError.isInstance(error)) throw error;
    if (context.signal.aborted) return undefined;
    const { output: _output, provenance: _provenance, ...rest } = line;
    return { ...rest, branch, status: 'failed', error: describeError(error) };
  }
}

/** A killed batch can have landed and deleted the branch before it stored the result. */
async function resultOf(
  context: MergeContext,
  { result, tip }: PendingLanding,
): Promise<BatchSuccess | undefined> {
  // Its landing merges nothing if it has landed.
  if ((await readTip(context, result.branch)) !== undefined) return result;
  const { repository } = context;
  const into = repository.branch ?? 'HEAD';
  const hasLanded = await isAncestor({ repository }, { older: tip, newer: into }, callOf(context));
  return hasLanded ? { ...result, branch: into, merged: true } : undefined;
}

async function readTip(context: MergeContext, branch = 'HEAD'): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`];
  const found = await git(args, callOf(context));
  return found.exitCode === 0 ? found.stdout.trim() : undefined;
}

function callOf({ repository, timeouts }: MergeContext): GitOptions {
  return { timeoutMs: timeouts.gitSetupMs, cwd: repository.topLevel, paths: pathsOf(repository) };
}
