/**
 * `createWorktree()`: creates a worktree on a separate branch, for several runs, sessions and
 * sandboxes.
 */
import { MOVED_OPTIONS } from './options/renamed-options.ts';
import { assertNestedOptions } from './options/assert-run-options.ts';
import { assertKnownOptions } from '@truecast/core/internal/options/known-options';
import { resolve } from 'node:path';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertCopyPaths } from '../git/worktree/copy-to-worktree.ts';
import { openRepository } from '../git/repository/repository.ts';
import type { LockedWorktree as GitWorktree } from '../git/worktree/worktree.ts';
import { interactAround } from './interact-around.ts';
import { openKeptSandbox } from './places/kept-sandbox.ts';
import { closeWorktree, keptWorktreePlace } from './places/kept-worktree.ts';
import { copyFiles, openWorktree } from './places/open-worktree.ts';
import { openOwned, ownPlace } from './places/own-place.ts';
import {
  assertHooks,
  assertSandboxProvider,
  completeTimeouts,
  policyOf,
  warnOf,
  assertWhere,
  assertUnsettled,
  inPlace,
  SETTLED_BY_WORKTREE,
} from './options/place-options.ts';
import { assertEnv } from '../support/assert-env.ts';
import type { PlaceContext } from './context/run-context.ts';
import { runAt } from './stages/run-at.ts';
import type { RunPromise } from './events/run-events.ts';
import type { AnyRunResult } from './options/read-only.ts';
import { type RunResult, type RunResultWithOutput, type WithTools } from './options/run-options.ts';
import type { RunStop } from './context/run-stop.ts';
import { toSandbox } from './sandbox.ts';
import type { Sandbox } from './options/sandbox-options.ts';
import {
  WORKTREE_INTERACTIVE_OPTIONS,
  WORKTREE_OPTIONS,
  WORKTREE_SANDBOX_OPTIONS,
  type CreateWorktreeOptions,
  type Worktree,
  type WorktreeCreateSandboxOptions,
  type WorktreeRunOptions,
  type WorktreeRunOptionsWithOutput,
} from './options/worktree-options.ts';

/**
 * Creates a worktree on a named or temporary branch. Several runs, terminal sessions and sandboxes
 * can share its files.
 *
 * Close it, or declare it with `await using`. A worktree is kept if it has uncommitted work or
 * existed before.
 *
 * A worktree alone protects nothing. The protection comes from the sandbox of each run. With
 * `bubblewrap()`, `podman()` and `docker()`, an agent has its own git directory. A custom
 * bind-mount sandbox sees the host's git directory, which is compared and restored after the run.
 * `noSandbox()`, the default of `interactive()`, gives the agent all rights of the user.
 *
 * @throws UsageError for an invalid call; CwdError, RepositoryError (`locked`, `branch-in-use` …),
 *   SandboxError for a failed hook
 *
 * @example
 * ```ts
 * await using worktree = await createWorktree({ branchStrategy: { type: 'merge-to-head' } });
 * await worktree.run({ agent: claudeCode(), sandbox: bubblewrap(), prompt: 'Fix the failing test. Commit.' });
 * await worktree.interactive({ agent: claudeCode(), prompt: 'Explain what you changed.' });
 * ```
 */
export async function createWorktree(options: CreateWorktreeOptions): Promise<Worktree> {
  assertOptions(options);
  const timeouts = completeTimeouts(options.timeouts);
  return openOwned(options.signal, async (stop) => {
    const setup: PlaceContext = {
      options: { ...options, timeouts, sensitiveChanges: policyOf(options) },
      signal: stop.signal,
      warn: warnOf(options),
    };
    const cwd = resolve(options.cwd ?? process.cwd());
    const repository = await openRepository(cwd, { timeoutMs: timeouts.gitSetupMs, signal: stop.signal });
    assertCopyPaths(repository.topLevel, options.copyToWorktree ?? []);
    const worktree = await openWorktree(setup, { repository, command: 'a worktree that is kept open' });
    return toWorktree({ worktree, cwd, setup, stop });
  });
}

interface OpenedWorktree {
  readonly worktree: GitWorktree;
  readonly cwd: string;
  readonly setup: PlaceContext;
  readonly stop: RunStop;
}

function toWorktree(opened: OpenedWorktree): Worktree {
  const { worktree, cwd, setup, stop } = opened;
  const { timeouts, sensitiveChanges } = setup.options;
  const place = keptWorktreePlace(worktree);
  const end = ownPlace(stop, () => closeWorktree(worktree, timeouts.gitSetupMs));
  const settled = { cwd, branchStrategy: worktree.strategy, timeouts, sensitiveChanges };

  function run<TInputs>(options: WithTools<WorktreeRunOptions, TInputs>): RunPromise<RunResult>;
  function run<TDefinition extends AnyOutputDefinition, TInputs>(
    options: WorktreeRunOptionsWithOutput<TDefinition, TInputs>,
  ): RunPromise<RunResultWithOutput<InferOutput<TDefinition>>>;
  function run(options: WorktreeRunOptions): RunPromise<RunResult>;
  function run(options: WorktreeRunOptions): RunPromise<AnyRunResult> {
    return runAt(place, inPlace(options, settled), {
      assertAsked: () => assertUnsettled(options, SETTLED_BY_WORKTREE),
    });
  }

  return {
    branch: worktree.branch ?? 'HEAD',
    worktreePath: worktree.path,
    run,
    interactive: async (options) => {
      assertKnownOptions(options, { of: '`worktree.interactive()`', names: WORKTREE_INTERACTIVE_OPTIONS });
      return interactAround({
        ...options,
        worktree,
        context: setup,
        keepsWorktree: true,
      });
    },
    createSandbox: (options) => openSandboxIn(opened, options),
    close: end.close,
    async [Symbol.asyncDispose]() {
      await end.close();
    },
  };
}

async function openSandboxIn(
  { worktree, cwd, setup }: OpenedWorktree,
  options: WorktreeCreateSandboxOptions,
): Promise<Sandbox> {
  assertKnownOptions(options, { of: '`worktree.createSandbox()`', names: WORKTREE_SANDBOX_OPTIONS });
  assertSandboxProvider(options.sandbox);
  assertEnv('env', options.env);
  assertHooks(options.hooks);
  assertCopyPaths(worktree.repository.topLevel, options.copyToWorktree ?? []);
  const timeouts =
    options.timeouts === undefined ? setup.options.timeouts : completeTimeouts(options.timeouts);
  const { hooks, copyToWorktree } = options;
  return openOwned(undefined, async (stop) => {
    const own: PlaceContext = {
      options: { ...setup.options, hooks, copyToWorktree, timeouts },
      signal: stop.signal,
      warn: setup.warn,
    };
    await copyFiles(own, worktree);
    const kept = await openKeptSandbox(own, worktree, options);
    // The worktree belongs to its owner, so the sandbox does not remove it.
    return toSandbox({
      kept,
      cwd,
      context: own,
      stop,
      leave: () => Promise.resolve({}),
    });
  });
}

function assertOptions(options: CreateWorktreeOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(
      `Expected options for \`createWorktree()\`, got ${describeValue(options)}. Pass \`{ branchStrategy }\`.`,
    );
  }
  assertKnownOptions(options, { of: '`createWorktree()`', names: WORKTREE_OPTIONS, moved: MOVED_OPTIONS });
  assertNestedOptions(options);
  assertWhere(options);
  const type: unknown = options.branchStrategy?.type;
  if (type !== 'merge-to-head' && type !== 'branch') {
    throw new UsageError(
      `Expected \`branchStrategy.type\` to be \`merge-to-head\` or \`branch\`, got ${describeValue(type)}. To work in your own checkout, use \`run()\`.`,
    );
  }
  assertHooks(options.hooks);
}
