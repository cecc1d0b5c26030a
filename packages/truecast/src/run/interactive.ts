/** `interactive()`: one terminal session of an agent, in a separate worktree and sandbox. */
import { gitCallOf } from './context/run-context.ts';
import { assertNestedOptions } from './options/assert-run-options.ts';
import { assertKnownOptions } from '@truecast/core/internal/options/known-options';
import { resolve } from 'node:path';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertCopyPaths } from '../git/worktree/copy-to-worktree.ts';
import { removeWorktree } from '../git/worktree/remove-worktree.ts';
import { openRepository } from '../git/repository/repository.ts';
import { assertInteractiveOptions, interactAround } from './interact-around.ts';
import { openWorktree } from './places/open-worktree.ts';
import { openOwned } from './places/own-place.ts';
import { newBranch } from './options/new-branch.ts';
import { MOVED_OPTIONS } from './options/renamed-options.ts';
import { completeTimeouts, policyOf, warnOf, assertWhere } from './options/place-options.ts';
import { assertEditablePaths } from './review/sensitive-changes-policy.ts';
import { assertStrategyFits } from '../sandboxes/shared/sandbox-branch.ts';
import { noSandbox } from '../sandboxes/no-sandbox.ts';
import {
  INTERACTIVE_OPTIONS,
  type InteractiveOptions,
  type InteractiveResult,
} from './options/worktree-options.ts';

/**
 * Hands the terminal to an agent, and returns its commits after the session.
 *
 * With `merge-to-head` the work is merged whatever the agent's exit code. A worktree with
 * uncommitted work is kept.
 *
 * @throws UsageError if the agent or the sandbox does not support a terminal; CwdError,
 *   RepositoryError, SandboxError; the signal's reason on abort
 *
 * @example
 * ```ts
 * const { commits, exitCode } = await interactive({
 *   agent: claudeCode(),
 *   sandbox: bubblewrap(),
 *   branchStrategy: { type: 'branch', branch: 'explore' },
 *   prompt: 'Show me around this repository.',
 * });
 * console.log(exitCode, commits.length);
 * ```
 */
export async function interactive(options: InteractiveOptions): Promise<InteractiveResult> {
  assertOptions(options);
  const { branchStrategy = newBranch(options), copyToWorktree, hooks, name } = options;
  const timeouts = completeTimeouts(options.timeouts);
  const sensitiveChanges = policyOf(options);
  return openOwned(options.signal, async (stop) => {
    try {
      const context = {
        options: { branchStrategy, copyToWorktree, hooks, name, timeouts, sensitiveChanges },
        signal: stop.signal,
        warn: warnOf(options),
      };
      const repository = await openRepository(resolve(options.cwd ?? process.cwd()), {
        ...gitCallOf(context),
        isUnguarded: (options.sandbox ?? noSandbox()).tag === 'none',
      });
      assertCopyPaths(repository.topLevel, copyToWorktree ?? []);
      const command = `a session of ${options.agent.name} on a terminal`;
      const worktree = await openWorktree(context, { repository, command });
      try {
        return await interactAround({
          ...options,
          signal: stop.signal,
          worktree,
          context,
          keepsWorktree: false,
        });
      } catch (error) {
        if (branchStrategy.type !== 'head') {
          await removeWorktree(worktree, { timeoutMs: timeouts.gitSetupMs });
        }
        throw error;
      } finally {
        await worktree.lock.release();
      }
    } finally {
      stop.dispose();
    }
  });
}

function assertOptions(options: InteractiveOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(
      `Expected options for \`interactive()\`, got ${describeValue(options)}. Pass \`{ agent }\`.`,
    );
  }
  assertKnownOptions(options, { of: '`interactive()`', names: INTERACTIVE_OPTIONS, moved: MOVED_OPTIONS });
  assertNestedOptions(options);
  assertWhere(options);
  assertInteractiveOptions(options);
  const { branchStrategy } = options;
  if (branchStrategy?.type !== 'head') return;
  assertEditablePaths(branchStrategy.editablePaths);
  if (options.sandbox !== undefined) assertStrategyFits(branchStrategy, options.sandbox);
  if ((options.copyToWorktree ?? []).length === 0) return;
  throw new UsageError(
    '`copyToWorktree` cannot be used with the branch strategy `head`: the agent works in the repository itself. Use `merge-to-head` or `branch`, or remove `copyToWorktree`.',
  );
}
