/** The `Sandbox` object of a sandbox that outlives its runs. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions } from '@truecast/core/internal/options/known-options';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import { toStreamAgent } from '../agents/stream/line-agent.ts';
import { verifyWorktree } from '../git/worktree/verify.ts';
import { interactInside } from './interact-inside.ts';
import { agentEnvIn, keptSandboxPlace, type KeptSandbox } from './places/kept-sandbox.ts';
import type { CloseResult } from './options/sandbox-options.ts';
import { closeSandbox, syncOut } from './places/open-sandbox.ts';
import { ownPlace } from './places/own-place.ts';
import {
  assertAgentProvider,
  assertUnsettled,
  inPlace,
  SETTLED_BY_SANDBOX,
} from './options/place-options.ts';
import { assertReadOnly, READ_ONLY_SANDBOX_RUN, type AnyRunResult } from './options/read-only.ts';
import { assertEnv } from '../support/assert-env.ts';
import { reviewLeftFiles } from './settle/settle-review.ts';
import { runAt } from './stages/run-at.ts';
import type { RunPromise } from './events/run-events.ts';
import type { RunOptions, RunResult, RunResultWithOutput, WithTools } from './options/run-options.ts';
import type { PlaceContext } from './context/run-context.ts';
import type { RunStop } from './context/run-stop.ts';
import type { MergeResult } from './options/merge-options.ts';
import {
  readCloseOptions,
  SANDBOX_INTERACTIVE_OPTIONS,
  type Sandbox,
  type SandboxCloseOptions,
  type SandboxCloseResult,
  type SandboxMergeOptions,
  type SandboxInteractiveOptions,
  type SandboxInteractiveResult,
  type SandboxRunOptions,
  type SandboxRunOptionsWithOutput,
} from './options/sandbox-options.ts';
import { settleSuccess } from './settle/settle-run.ts';
import { mergeCheckOf } from './verify/merge-check.ts';

/** An open sandbox, and the cleanup that its creator does on close. */
export interface ToSandboxOptions {
  readonly kept: KeptSandbox;
  readonly cwd: string;
  /** How it was opened. */
  readonly context: PlaceContext;
  readonly stop: RunStop;
  /** Settles the worktree after the sandbox is closed. */
  leave(): Promise<CloseResult>;
  /** Merges the branch after that. Undefined if the worktree outlives the sandbox. */
  merge?(options: SandboxMergeOptions): Promise<MergeResult>;
}

/** Creates the caller's sandbox object. */
export function toSandbox({ kept, cwd, context, stop, leave, merge }: ToSandboxOptions): Sandbox {
  const { timeouts, sensitiveChanges, isThrownAway } = context.options;
  const place = keptSandboxPlace(kept);
  const { worktree, handle, sandbox } = kept;
  const end = ownPlace(stop, () => endSandbox(kept, context, leave));
  const settled = { cwd, branchStrategy: worktree.strategy, timeouts, sensitiveChanges };

  function run<TInputs>(options: WithTools<SandboxRunOptions, TInputs>): RunPromise<RunResult>;
  function run<TDefinition extends AnyOutputDefinition, TInputs>(
    options: SandboxRunOptionsWithOutput<TDefinition, TInputs>,
  ): RunPromise<RunResultWithOutput<InferOutput<TDefinition>>>;
  function run(options: SandboxRunOptions): RunPromise<RunResult>;
  function run(options: SandboxRunOptions): RunPromise<AnyRunResult> {
    const asked: RunOptions = { ...inPlace(options, settled), sandbox };
    return runAt(place, asked, {
      assertAsked() {
        assertUnsettled(options, SETTLED_BY_SANDBOX);
        if (isThrownAway === true) assertReadOnly({ ...options, readOnly: true }, READ_ONLY_SANDBOX_RUN);
      },
    });
  }

  async function interactive(options: SandboxInteractiveOptions): Promise<SandboxInteractiveResult> {
    assertInteractiveOptions(options);
    const agent = toStreamAgent(options.agent);
    const { commits, exitCode, recovered } = await interactInside({
      ...options,
      agent,
      opened: kept,
      agentEnv: agentEnvIn(sandbox, agent, options.env),
      isOnHost: sandbox.tag === 'none',
      context: {
        ...context,
        signal: options.signal === undefined ? end.signal : AbortSignal.any([options.signal, end.signal]),
      },
      settle(settling) {
        const mergeCheck = mergeCheckOf({ ...settling, branchStrategy: worktree.strategy });
        return settleSuccess(settling, { keepsBranch: true, keepsWorktree: true, mergeCheck });
      },
    });
    return { commits, exitCode, ...(recovered !== undefined && { recovered }) };
  }

  async function close(options: SandboxCloseOptions = {}): Promise<SandboxCloseResult> {
    const asked = readCloseOptions(options);
    if (asked !== undefined) assertMerges(merge, isThrownAway === true);
    // Not a part of the end: a merge that fails must not fail `await using` a second time.
    const closed = await end.close();
    const merged = asked && (await merge?.(asked));
    return merged === undefined ? closed : { ...closed, merge: merged };
  }

  const opened: Sandbox = {
    branch: worktree.branch ?? 'HEAD',
    worktreePath: worktree.path,
    run,
    interactive,
    exec: (command, options = {}) => handle.exec(command, options),
    close,
    async [Symbol.asyncDispose]() {
      await end.close();
    },
  };
  return isThrownAway === true ? withoutBranch(opened) : opened;
}

/** The type of a read-only sandbox has no such members. */
function withoutBranch(opened: Sandbox): Sandbox {
  const shown = { ...opened };
  for (const name of ['branch', 'interactive']) Reflect.deleteProperty(shown, name);
  return shown;
}

/** Takes the agent's files out, closes the sandbox and settles the worktree. */
async function endSandbox(
  kept: KeptSandbox,
  { warn, options: { timeouts, isThrownAway } }: PlaceContext,
  leave: ToSandboxOptions['leave'],
): Promise<CloseResult> {
  if (isThrownAway === true) {
    await closeSandbox(kept);
    return leave();
  }
  const { handle, snapshot } = kept;
  const failure = await syncOut(handle, { warn }).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  await closeSandbox(kept);
  if (snapshot !== undefined) await verifyWorktree(snapshot, { timeoutMs: timeouts.gitSetupMs });
  // A later run takes the current state as the state before its agent.
  const found = await reviewLeftFiles(kept.review, {
    call: { timeoutMs: timeouts.commitCollectionMs },
    warn,
  });
  const left = await leave();
  if (failure !== undefined) throw failure.error;
  const isLeft = left.preservedWorktreePath !== undefined;
  const sensitive = isLeft ? kept.review.quarantineHooks(found, { warn, keepsCommitted: false }) : found;
  return found.length === 0 ? left : { ...left, sensitiveChanges: sensitive };
}

function assertMerges(merge: ToSandboxOptions['merge'], isThrownAway: boolean): void {
  if (merge !== undefined && !isThrownAway) return;
  throw new UsageError(
    isThrownAway
      ? 'Expected no `merge` for a sandbox with `readOnly`, which throws all commits away. Remove one of them.'
      : 'Expected no `merge` for a sandbox in a worktree of `createWorktree()`, which still works on the branch. Use the branch strategy `merge-to-head` there, or `merge()` after the worktree is closed.',
  );
}

function assertInteractiveOptions(options: SandboxInteractiveOptions): void {
  assertKnownOptions(options, { of: '`sandbox.interactive()`', names: SANDBOX_INTERACTIVE_OPTIONS });
  assertAgentProvider(options.agent);
  assertEnv('env', options.env);
}
