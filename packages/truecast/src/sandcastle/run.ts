/** `run()` and `interactive()` of `truecast/sandcastle`, with Sandcastle's defaults. */
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import { run as runWithGroups } from '../run/run.ts';
import type { RunPromise } from '../run/events/run-events.ts';
import { withDefaultBranch, toGroups } from './to-groups.ts';
import type { FlatRunOptions, WithOutput, FlatMembers, FlatPlacePolicy } from './flat-options.ts';
import { startFlat, type FlatResultWithOutput, type FlatRunResult } from './flat-result.ts';
import { interactive as interactWithGroups } from '../run/interactive.ts';
import type {
  InteractiveOptions as GroupedOptions,
  InteractiveResult,
} from '../run/options/worktree-options.ts';

/**
 * Runs a coding agent like `run()` of `truecast`. Without a `branchStrategy`, the agent works in
 * your checkout, as in Sandcastle.
 *
 * @throws the errors of `run()` of `truecast`
 *
 * @example
 * ```ts
 * const { commits } = await run({
 *   agent: claudeCode('claude-opus-4-8'),
 *   sandbox: docker(),
 *   prompt: 'Fix the failing test, and commit.',
 * });
 * console.log(commits.length);
 * ```
 * @public
 */
export function runFlat<TDefinition extends AnyOutputDefinition>(
  options: WithOutput<FlatRunOptions, TDefinition>,
): RunPromise<FlatResultWithOutput<InferOutput<TDefinition>>>;
export function runFlat(options: FlatRunOptions): RunPromise<FlatRunResult>;
export function runFlat(options: FlatRunOptions): RunPromise<FlatRunResult> {
  return startFlat(options, '`run()`', () => runWithGroups(toGroups(withDefaultBranch(options))));
}

/** Options of `interactive()`. */
export interface FlatInteractiveOptions
  extends Omit<GroupedOptions, 'policies'>, FlatPlacePolicy, Pick<FlatMembers, 'editablePaths'> {}

/**
 * Hands the terminal to an agent like `interactive()` of `truecast`. Without a `branchStrategy`, the
 * agent works in your checkout, as in Sandcastle.
 *
 * @throws the errors of `interactive()` of `truecast`
 *
 * @example
 * ```ts
 * const { exitCode } = await interactive({ agent: claudeCode('claude-opus-4-8'), sandbox: docker() });
 * console.log(exitCode);
 * ```
 * @public
 */
export async function interactFlat(options: FlatInteractiveOptions): Promise<InteractiveResult> {
  return interactWithGroups(toGroups(withDefaultBranch(options)));
}
