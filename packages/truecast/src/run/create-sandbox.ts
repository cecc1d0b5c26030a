/** `createSandbox()`: creates a warm sandbox on a named branch, for several runs. */
import { assertNestedOptions } from './options/assert-run-options.ts';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { resolve } from 'node:path';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertCopyPaths } from '../git/worktree/copy-to-worktree.ts';
import { openRepository } from '../git/repository/repository.ts';
import { mergeKept } from './merge/merge-kept.ts';
import { closeWorktree } from './places/kept-worktree.ts';
import { openKeptSandbox } from './places/kept-sandbox.ts';
import { recoverGuests } from './places/recover-guests.ts';
import { abandonWorktree, openWorktree } from './places/open-worktree.ts';
import { openOwned } from './places/own-place.ts';
import {
  PLACE_OPTIONS,
  PLACE_SANDBOX_OPTIONS,
  assertHooks,
  assertSandboxProvider,
  completeTimeouts,
  policyOf,
  warnOf,
  type PlaceOptions,
  type PlaceSandboxOptions,
  assertWhere,
} from './options/place-options.ts';
import { MOVED_OPTIONS } from './options/run-options.ts';
import { assertEnv } from '../support/assert-env.ts';
import type { PlaceContext } from './context/run-context.ts';
import { toSandbox } from './sandbox.ts';
import type { Sandbox } from './options/sandbox-options.ts';

/** Options of `createSandbox()`. */
export interface CreateSandboxOptions extends PlaceOptions, PlaceSandboxOptions {
  /** Branch to work on. Created if it does not exist. */
  readonly branch: string;
  /** Start point of a new branch. @default `HEAD` */
  readonly baseBranch?: string;
}

const OPTIONS: OptionNames<CreateSandboxOptions> = {
  ...PLACE_OPTIONS,
  ...PLACE_SANDBOX_OPTIONS,
  branch: true,
  baseBranch: true,
};

/**
 * Starts a sandbox on a branch in a separate worktree, for several runs. Files, sessions and the
 * effects of hooks are kept between runs.
 *
 * Close it, or declare it with `await using`. A worktree is kept if it has uncommitted work or
 * existed before.
 *
 * @throws UsageError for an invalid call; CwdError, RepositoryError (`locked`, `branch-in-use` …),
 *   SandboxError if it cannot be opened. Everything that the call created is then removed.
 *
 * @example
 * ```ts
 * await using sandbox = await createSandbox({ branch: 'feature/login', sandbox: bubblewrap(), agents: [claudeCode()] });
 * await sandbox.run({ agent: claudeCode(), prompt: 'Implement the login form, with tests. Commit.' });
 * const tests = await sandbox.exec('npm test');
 * console.log(tests.exitCode);
 * ```
 */
export async function createSandbox(options: CreateSandboxOptions): Promise<Sandbox> {
  return openSandboxFor(options, { isReadOnly: false });
}

/**
 * Creates a sandbox as `createSandbox()` does. A killed process's worktree with `isReadOnly` is
 * removed by the next run.
 */
export async function openSandboxFor(
  options: CreateSandboxOptions,
  { isReadOnly }: { readonly isReadOnly: boolean },
): Promise<Sandbox> {
  assertOptions(options);
  const branchStrategy = {
    type: 'branch',
    branch: options.branch,
    ...(options.baseBranch !== undefined && { baseBranch: options.baseBranch }),
  } as const;
  const timeouts = completeTimeouts(options.timeouts);
  const sensitiveChanges = policyOf(options);
  return openOwned(options.signal, async (stop) => {
    const setup: PlaceContext = {
      options: { ...options, branchStrategy, timeouts, sensitiveChanges, isReadOnly },
      signal: stop.signal,
      warn: warnOf(options),
    };
    const cwd = resolve(options.cwd ?? process.cwd());
    const repository = await openRepository(cwd, {
      timeoutMs: timeouts.gitSetupMs,
      signal: stop.signal,
      isUnguarded: options.sandbox.tag === 'none',
    });
    assertCopyPaths(repository.topLevel, options.copyToWorktree ?? []);
    const command = `a sandbox of ${options.sandbox.name}`;
    await recoverGuests({ ...setup, repository, sandbox: options.sandbox });
    const worktree = await openWorktree(setup, { repository, command });
    try {
      const kept = await openKeptSandbox(setup, worktree, options);
      return toSandbox({
        kept,
        cwd,
        context: setup,
        stop,
        leave: () => closeWorktree(worktree, timeouts.gitSetupMs),
        merge: (asked) => mergeKept(kept, setup, asked),
      });
    } catch (error) {
      await abandonWorktree(setup, worktree);
      throw error;
    }
  });
}

function assertOptions(options: CreateSandboxOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(
      `Expected options for \`createSandbox()\`, got ${describeValue(options)}. Pass \`{ branch, sandbox }\`.`,
    );
  }
  assertKnownOptions(options, { of: '`createSandbox()`', names: OPTIONS, moved: MOVED_OPTIONS });
  assertNestedOptions(options);
  assertWhere(options);
  if (typeof options.branch !== 'string' || options.branch === '') {
    throw new UsageError(
      `Expected \`branch\` to be a branch name, got ${describeValue(options.branch)}. Pass the name of the branch to work on.`,
    );
  }
  assertSandboxProvider(options.sandbox);
  assertEnv('env', options.env);
  assertHooks(options.hooks);
}
