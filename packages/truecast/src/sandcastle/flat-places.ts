/** `createSandbox()` and `createWorktree()` of `truecast/sandcastle`: their runs take flat options. */
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import {
  createSandbox as createGroupedSandbox,
  type CreateSandboxOptions as GroupedSandboxOptions,
} from '../run/create-sandbox.ts';
import { createWorktree as createGroupedWorktree } from '../run/create-worktree.ts';
import type { RunPromise } from '../run/events/run-events.ts';
import type { Sandbox as GroupedSandbox } from '../run/options/sandbox-options.ts';
import type {
  CreateWorktreeOptions as GroupedWorktreeOptions,
  Worktree as GroupedWorktree,
  WorktreeCreateSandboxOptions,
} from '../run/options/worktree-options.ts';
import type { FlatPlacePolicy, FlatRunOptions, WithOutput } from './flat-options.ts';
import { startFlat, type FlatResultWithOutput, type FlatRunResult } from './flat-result.ts';
import { toGroups, toPlaceGroups } from './to-groups.ts';

/** Options of `createSandbox()`. */
export interface FlatCreateSandboxOptions
  extends Omit<GroupedSandboxOptions, 'policies' | 'readOnly'>, FlatPlacePolicy {}

/** Options of `createWorktree()`. */
export interface FlatCreateWorktreeOptions
  extends Omit<GroupedWorktreeOptions, 'policies'>, FlatPlacePolicy {}

/** Options of `sandbox.run()`: those of `run()` that the sandbox does not determine. */
export type FlatSandboxRunOptions = Omit<
  FlatRunOptions,
  'sandbox' | 'cwd' | 'branchStrategy' | 'copyToWorktree' | 'hooks' | 'timeouts' | 'forkSession'
>;

/** Options of `worktree.run()`: those of `run()` that the worktree does not determine. */
export type FlatWorktreeRunOptions = Omit<
  FlatRunOptions,
  'cwd' | 'branchStrategy' | 'copyToWorktree' | 'timeouts' | 'forkSession'
>;

/** Result of `sandbox.run()`. `resume` and `fork` continue in the same sandbox. @public */
export type FlatSandboxRunResult = FlatRunResult;

/** Result of `worktree.run()`. `resume` and `fork` continue in the same worktree. @public */
export type FlatWorktreeRunResult = FlatRunResult;

/** Options that can change when a session is continued in its sandbox. @public */
export type FlatResumeOptions = Partial<
  Omit<FlatSandboxRunOptions, 'agent' | 'prompt' | 'promptFile' | 'resumeSession' | 'maxIterations'>
>;

/** A method that runs an agent in a place. */
interface FlatRun<TOptions> {
  <TDefinition extends AnyOutputDefinition>(
    options: WithOutput<TOptions, TDefinition>,
  ): RunPromise<FlatResultWithOutput<InferOutput<TDefinition>>>;
  (options: TOptions): RunPromise<FlatRunResult>;
}

/** A warm sandbox on a branch. */
export interface FlatSandbox extends Omit<GroupedSandbox, 'run'> {
  /** Runs an agent here, like `run()`. */
  readonly run: FlatRun<FlatSandboxRunOptions>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A worktree on a separate branch. */
export interface FlatWorktree extends Omit<GroupedWorktree, 'run' | 'createSandbox'> {
  /** Runs an agent here in a separate sandbox, like `run()`. */
  readonly run: FlatRun<FlatWorktreeRunOptions>;
  /** Starts a warm sandbox here, for several runs. Closing it keeps the worktree. */
  createSandbox(options: WorktreeCreateSandboxOptions): Promise<FlatSandbox>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a sandbox like `createSandbox()` of `truecast`. Its runs take the options of Sandcastle.
 *
 * @throws the errors of `createSandbox()` of `truecast`
 *
 * @example
 * ```ts
 * await using sandbox = await createSandbox({ branch: 'feature/login', sandbox: docker() });
 * await sandbox.run({ agent: claudeCode('claude-opus-4-8'), prompt: 'Implement it. Commit.' });
 * ```
 * @public
 */
export async function createFlatSandbox(options: FlatCreateSandboxOptions): Promise<FlatSandbox> {
  return toFlatSandbox(await createGroupedSandbox(toPlaceGroups(options)));
}

/**
 * Creates a worktree like `createWorktree()` of `truecast`. Its runs take the options of Sandcastle.
 *
 * @throws the errors of `createWorktree()` of `truecast`
 *
 * @example
 * ```ts
 * await using worktree = await createWorktree({ branchStrategy: { type: 'merge-to-head' } });
 * await worktree.run({ agent: claudeCode('claude-opus-4-8'), sandbox: docker(), prompt: 'Fix it. Commit.' });
 * ```
 * @public
 */
export async function createFlatWorktree(options: FlatCreateWorktreeOptions): Promise<FlatWorktree> {
  const worktree = await createGroupedWorktree(toPlaceGroups(options));
  return {
    ...worktree,
    run: (asked: FlatWorktreeRunOptions) =>
      startFlat(asked, '`worktree.run()`', () => worktree.run(toGroups(asked))),
    createSandbox: async (asked) => toFlatSandbox(await worktree.createSandbox(asked)),
  } as FlatWorktree;
}

function toFlatSandbox(sandbox: GroupedSandbox): FlatSandbox {
  return {
    ...sandbox,
    run: (asked: FlatSandboxRunOptions) =>
      startFlat(asked, '`sandbox.run()`', () => sandbox.run(toGroups(asked))),
  } as FlatSandbox;
}
