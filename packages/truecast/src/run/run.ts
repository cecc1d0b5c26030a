/** `run()`: one run in a separate worktree and sandbox. */
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import { TEMPORARY_PLACE } from './places/temporary-place.ts';
import { runAt } from './stages/run-at.ts';
import type { RunPromise } from './events/run-events.ts';
import type {
  AnyRunOptions,
  ReadOnlyRunOptions,
  ReadOnlyRunOptionsWithOutput,
  ReadOnlyRunResult,
  ReadOnlyRunResultWithOutput,
} from './options/read-only.ts';
import type {
  RunOptions,
  RunOptionsWithOutput,
  RunResult,
  RunResultWithOutput,
  WithTools,
} from './options/run-options.ts';

/**
 * Runs a coding agent on a branch in a sandbox, and resolves to its typed answer and its commits.
 *
 * Invalid options are rejected before any branch, worktree or sandbox exists. The answer is
 * validated before anything is merged. Without `branchStrategy`, the work stays on a new branch,
 * named in the result. With retries, the agent gets the errors of an invalid answer
 * in the same session, sandbox and worktree. The promise is also an async iterable of the run's
 * events.
 *
 * @throws UsageError for an invalid call; StructuredOutputError if there is no valid answer;
 *   AgentError, SandboxError, RepositoryError, LimitError with what the agent left behind; the
 *   signal's reason on abort
 *
 * @example
 * ```ts
 * const { output, commits } = await run({
 *   agent: claudeCode('claude-opus-4-8'),
 *   sandbox: bubblewrap(),
 *   branchStrategy: { type: 'merge-to-head' },
 *   prompt: 'Fix the failing test. Answer with {"cause": string} in a <result> tag.',
 *   output: Output.object({ tag: 'result', schema: z.object({ cause: z.string() }), maxCorrections: 2 }),
 * });
 * console.log(output.cause, commits.length);
 * ```
 */
export function run<TDefinition extends AnyOutputDefinition>(
  options: ReadOnlyRunOptionsWithOutput<TDefinition>,
): RunPromise<ReadOnlyRunResultWithOutput<InferOutput<TDefinition>>>;
export function run(options: ReadOnlyRunOptions): RunPromise<ReadOnlyRunResult>;
export function run<TInputs>(options: WithTools<RunOptions, TInputs>): RunPromise<RunResult>;
export function run<TDefinition extends AnyOutputDefinition, TInputs = Readonly<Record<string, never>>>(
  options: RunOptionsWithOutput<TDefinition, TInputs>,
): RunPromise<RunResultWithOutput<InferOutput<TDefinition>>>;
export function run(options: RunOptions): RunPromise<RunResult>;
export function run(options: AnyRunOptions): RunPromise<ReadOnlyRunResult> {
  return runAt(TEMPORARY_PLACE, options);
}
