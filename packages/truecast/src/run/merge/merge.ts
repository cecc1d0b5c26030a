/** `merge()`: lands branches that are checked as they will land. */
import { resolve } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { openRepository } from '../../git/repository/repository.ts';
import {
  assertMergeOptions,
  readBranches,
  type MergeOptions,
  type MergeQueueResult,
  type MergeResult,
} from '../options/merge-options.ts';
import { completeTimeouts, warnOf } from '../options/place-options.ts';
import { openOwned } from '../places/own-place.ts';
import { mergeBranch, type MergeContext } from './merge-branch.ts';
import { openMergeContext } from './open-merge-context.ts';

/**
 * Merges a branch into another one. The merged commit is made in memory, reviewed, and checked in a
 * sandbox on a clean checkout of exactly that commit. Then the target moves to it.
 *
 * If the target moves meanwhile, all of this is repeated, at most five times. A branch that does not
 * land is unchanged, and so is the checkout. With several branches, one lands after the other, and
 * those that fail are in `kept`.
 *
 * @throws UsageError for an invalid call; CwdError; RepositoryError `merge-conflict`, `check-failed`,
 *   `sensitive-changes`, `secret-in-commits`, `branch-in-use`, `locked` if a run works on the branch;
 *   SandboxError; the error of the check. Several branches: not for a `RepositoryError` of one
 *
 * @example
 * ```ts
 * const { merged, kept } = await merge(['fix/login', 'fix/logout'], {
 *   sandbox: bubblewrap(),
 *   copyToWorktree: ['node_modules'],
 *   check: async ({ exec }) => ((await exec('npm test')).exitCode === 0 ? undefined : 'The tests fail.'),
 * });
 * for (const { branch, error } of kept) console.error(branch, error.message);
 * ```
 * @public
 */
export function merge(branch: string, options?: MergeOptions): Promise<MergeResult>;
export function merge(branches: readonly string[], options?: MergeOptions): Promise<MergeQueueResult>;
export async function merge(
  branches: string | readonly string[],
  options: MergeOptions = {},
): Promise<MergeResult | MergeQueueResult> {
  const names = readBranches(branches);
  assertMergeOptions(names, options);
  return openOwned(options.signal, async (stop) => {
    try {
      const repository = await openRepository(resolve(options.cwd ?? process.cwd()), {
        timeoutMs: completeTimeouts(options.timeouts).gitSetupMs,
        signal: stop.signal,
      });
      const call = { repository, signal: stop.signal, warn: warnOf(options) };
      const context = await openMergeContext(options, call);
      return typeof branches === 'string'
        ? await mergeBranch(context, branches)
        : await mergeAll(context, names);
    } finally {
      stop.dispose();
    }
  });
}

async function mergeAll(context: MergeContext, branches: readonly string[]): Promise<MergeQueueResult> {
  const result: MergeQueueResult = { merged: [], kept: [] };
  for (const branch of branches) {
    try {
      result.merged.push(await mergeBranch(context, branch));
    } catch (error) {
      if (!RepositoryError.isInstance(error)) throw error;
      result.kept.push({ branch, error });
    }
  }
  return result;
}
