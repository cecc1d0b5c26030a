/** `createSandbox()`: creates a warm sandbox on a named branch, for several runs. */
import { assertNestedOptions } from './options/assert-run-options.ts';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { resolve } from 'node:path';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertCopyPaths } from '../git/worktree/copy-to-worktree.ts';
import { openOnly, openReadable, type ReadableRepository } from '../git/repository/folder-copy.ts';
import { mergeKept } from './merge/merge-kept.ts';
import { closeWorktree } from './places/kept-worktree.ts';
import { openKeptSandbox, type KeptSandbox } from './places/kept-sandbox.ts';
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
import { newBranch } from './options/new-branch.ts';
import { assertReadOnly, type ReadOnlyCall } from './options/read-only.ts';
import { MOVED_OPTIONS } from './options/renamed-options.ts';
import { discardWork } from './settle/discard-work.ts';
import { assertEnv } from '../support/assert-env.ts';
import type { PlaceContext } from './context/run-context.ts';
import type { RunStop } from './context/run-stop.ts';
import { toSandbox } from './sandbox.ts';
import type { ReadOnlySandbox, Sandbox } from './options/sandbox-options.ts';

/** Options of `createSandbox()`. */
export interface CreateSandboxOptions<TReadOnly extends boolean = false>
  extends PlaceOptions, PlaceSandboxOptions {
  /** Branch to work on. Created if it does not exist. Not available with `readOnly`. */
  readonly branch: string;
  /** Start point of a new branch. @default `HEAD` */
  readonly baseBranch?: string;
  /**
   * Throws everything away that runs and commands write here, commits included, when the sandbox is
   * closed. Outside of a repository, they work on a copy of the folder `cwd`. The results of runs have no
   * `branch` and no `commits`. @default false
   */
  readonly readOnly?: TReadOnly;
}

/** Options of a sandbox whose work is thrown away. */
type ReadOnlySandboxOptions = Omit<CreateSandboxOptions<true>, 'branch' | 'readOnly'> & {
  readonly readOnly: true;
};

/** Options of any sandbox. */
type AnySandboxOptions = Omit<CreateSandboxOptions<boolean>, 'branch'> & { readonly branch?: string };

const OPTIONS: OptionNames<CreateSandboxOptions> = {
  ...PLACE_OPTIONS,
  ...PLACE_SANDBOX_OPTIONS,
  branch: true,
  baseBranch: true,
  readOnly: true,
};

const READ_ONLY_SANDBOX: ReadOnlyCall = { of: '`createSandbox()`', names: ['branch'] };

/**
 * Starts a sandbox on a branch in a separate worktree, for several runs. Files, sessions and the
 * effects of hooks are kept between runs.
 *
 * Close it, or declare it with `await using`. A worktree is kept if it has uncommitted work or
 * existed before. With `readOnly`, it is removed with all work.
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
export async function createSandbox(options: ReadOnlySandboxOptions): Promise<ReadOnlySandbox>;
export async function createSandbox(options: CreateSandboxOptions): Promise<Sandbox>;
export async function createSandbox(options: AnySandboxOptions): Promise<ReadOnlySandbox | Sandbox> {
  assertOptions(options);
  const { readOnly: isThrownAway = false, baseBranch } = options;
  const branchStrategy = {
    ...(options.branch === undefined ? newBranch({}) : ({ type: 'branch', branch: options.branch } as const)),
    ...(baseBranch !== undefined && { baseBranch }),
  };
  const timeouts = completeTimeouts(options.timeouts);
  const sensitiveChanges = policyOf(options);
  return openOwned(options.signal, async (stop) => {
    const setup: PlaceContext = {
      options: { ...options, branchStrategy, timeouts, sensitiveChanges, isThrownAway },
      signal: stop.signal,
      warn: warnOf(options),
    };
    const cwd = resolve(options.cwd ?? process.cwd());
    const open = isThrownAway ? openReadable : openOnly;
    const opened = await open(cwd, {
      timeoutMs: timeouts.gitSetupMs,
      signal: stop.signal,
      isUnguarded: options.sandbox.tag === 'none',
    });
    try {
      return await openIn(opened, { setup, stop, options, cwd });
    } catch (error) {
      await opened.remove();
      throw error;
    }
  });
}

interface Opening {
  readonly setup: PlaceContext;
  readonly stop: RunStop;
  readonly options: AnySandboxOptions;
  readonly cwd: string;
}

async function openIn(
  { repository, isCopy, remove }: ReadableRepository,
  { setup, stop, options, cwd }: Opening,
): Promise<Sandbox> {
  const { timeouts, isThrownAway } = setup.options;
  assertCopyPaths(repository.topLevel, options.copyToWorktree ?? []);
  const command = `a sandbox of ${options.sandbox.name}`;
  await recoverGuests({ ...setup, repository, sandbox: options.sandbox });
  const worktree = await openWorktree(setup, { repository, command });
  try {
    const kept = await openKeptSandbox(setup, worktree, options);
    return toSandbox({
      kept,
      // Each run opens the repository of this folder.
      cwd: isCopy ? repository.topLevel : cwd,
      context: setup,
      stop,
      async leave() {
        if (isThrownAway !== true) return closeWorktree(worktree, timeouts.gitSetupMs);
        await discardWorktree(setup, { worktree, snapshot: kept.snapshot });
        await remove();
        return {};
      },
      merge: (asked) => mergeKept(kept, setup, asked),
    });
  } catch (error) {
    await abandonWorktree(setup, worktree);
    throw error;
  }
}

/** Throws the work away, and releases the worktree's lock. */
async function discardWorktree(
  setup: PlaceContext,
  workspace: Pick<KeptSandbox, 'worktree' | 'snapshot'>,
): Promise<void> {
  try {
    await discardWork({ ...setup, workspace });
  } finally {
    await workspace.worktree.lock.release();
  }
}

function assertOptions(options: AnySandboxOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(
      `Expected options for \`createSandbox()\`, got ${describeValue(options)}. Pass \`{ branch, sandbox }\`.`,
    );
  }
  assertKnownOptions(options, { of: '`createSandbox()`', names: OPTIONS, moved: MOVED_OPTIONS });
  assertNestedOptions(options);
  assertWhere(options);
  assertReadOnly(options, READ_ONLY_SANDBOX);
  const isNamed = typeof options.branch === 'string' && options.branch !== '';
  if (!isNamed && options.readOnly !== true) {
    throw new UsageError(
      `Expected \`branch\` to be a branch name, got ${describeValue(options.branch)}. Pass the name of the branch to work on.`,
    );
  }
  assertSandboxProvider(options.sandbox);
  assertEnv('env', options.env);
  assertHooks(options.hooks);
}
