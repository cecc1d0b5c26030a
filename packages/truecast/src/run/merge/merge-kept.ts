/** Merge of the branch of a kept sandbox, after the sandbox was closed. */
import type { PlaceContext } from '../context/run-context.ts';
import type { MergeResult } from '../options/merge-options.ts';
import type { SandboxMergeOptions } from '../options/sandbox-options.ts';
import { openOwned } from '../places/own-place.ts';
import type { KeptSandbox } from '../places/kept-sandbox.ts';
import { mergeBranch } from './merge-branch.ts';

/**
 * Merges the branch, with the check in another sandbox of the same kind.
 *
 * @throws the errors of `merge()`
 */
export async function mergeKept(
  { worktree, opening }: KeptSandbox,
  { options, warn }: PlaceContext,
  { signal, policies = {}, ...asked }: SandboxMergeOptions,
): Promise<MergeResult> {
  const { hooks, copyToWorktree, timeouts, sensitiveChanges } = options;
  return openOwned(signal, async (stop) => {
    try {
      const context = {
        options: {
          ...asked,
          ...(hooks !== undefined && { hooks }),
          ...(copyToWorktree !== undefined && { copyToWorktree }),
        },
        repository: worktree.repository,
        opening: asked.check === undefined ? undefined : opening,
        secrets: opening.env,
        timeouts,
        sensitiveChanges: policies.sensitiveChanges ?? sensitiveChanges,
        secretsInCommits: policies.secretsInCommits ?? 'error',
        signal: stop.signal,
        warn,
      } as const;
      return await mergeBranch(context, worktree.branch ?? 'HEAD');
    } finally {
      stop.dispose();
    }
  });
}
