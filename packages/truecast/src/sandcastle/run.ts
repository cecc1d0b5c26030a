/** `run()` of `truecast/sandcastle`, with Sandcastle's defaults. */
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import { run as runWithGroups } from '../run/run.ts';
import type { RunPromise } from '../run/events/run-events.ts';
import { withDefaultBranch, toGroups } from './to-groups.ts';
import type { FlatRunOptions, WithOutput } from './flat-options.ts';
import { startFlat, type FlatResultWithOutput, type FlatRunResult } from './flat-result.ts';

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
 */
export function runFlat<TDefinition extends AnyOutputDefinition>(
  options: WithOutput<FlatRunOptions, TDefinition>,
): RunPromise<FlatResultWithOutput<InferOutput<TDefinition>>>;
export function runFlat(options: FlatRunOptions): RunPromise<FlatRunResult>;
export function runFlat(options: FlatRunOptions): RunPromise<FlatRunResult> {
  return startFlat(options, '`run()`', () => runWithGroups(toGroups(withDefaultBranch(options))));
}
