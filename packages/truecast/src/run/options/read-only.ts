/**
 * Read-only runs: their options and results, and the refusal of options that contradict them. What
 * their agents write is thrown away.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { RunPromise } from '../events/run-events.ts';
import type { ContinueOptions, RunOptions, RunResult, TypedByOutput } from './run-options.ts';

/** Options that name a place for commits. */
type OfCommits = 'branchStrategy' | 'publish';

/** Options of a run, whether it only reads or not. */
export type AnyRunOptions = RunOptions<AgentProvider, boolean>;

/** Options of a read-only run. */
export type ReadOnlyRunOptions = Omit<RunOptions<AgentProvider, true>, OfCommits | 'readOnly'> & {
  readonly readOnly: true;
};

/** `ReadOnlyRunOptions` with an output, whose partial values are typed. */
export type ReadOnlyRunOptionsWithOutput<TDefinition extends AnyOutputDefinition> = Omit<
  ReadOnlyRunOptions,
  'output' | 'onPartial' | 'until'
> &
  TypedByOutput<TDefinition>;

/** Members of a result that name the agent's work. */
export type WorkOfRun =
  | 'branch'
  | 'commits'
  | 'commitsSince'
  | 'recovered'
  | 'preservedWorktreePath'
  | 'pullRequestUrl'
  | 'sensitiveChanges';

/** Result of a read-only run: that of a run, without the work. */
export type ReadOnlyRunResult = Omit<RunResult, WorkOfRun | 'resume' | 'fork'> & {
  /** Continues the session with a new prompt, read-only too. Absent without a session to continue. */
  readonly resume?: ContinueReading;
  /** Like `resume`, but in a new session that leaves this one unchanged. */
  readonly fork?: ContinueReading;
};

/** Result of a run, whether it only reads or not. */
export type AnyRunResult = ReadOnlyRunResult & Partial<Pick<RunResult, WorkOfRun>>;

type ContinueReadingOptions = Omit<ContinueOptions, OfCommits>;

/** Not an interface: declarations of a user's program could not name it. */
type ContinueReading = (<TDefinition extends AnyOutputDefinition>(
  prompt: string,
  options: ContinueReadingOptions & { readonly output: TDefinition },
) => Promise<ReadOnlyRunResultWithOutput<InferOutput<TDefinition>>>) &
  ((prompt: string, options?: ContinueReadingOptions) => Promise<ReadOnlyRunResult>);

/** `ReadOnlyRunResult` with the typed answer, and how it was obtained. */
export type ReadOnlyRunResultWithOutput<TOutput> = ReadOnlyRunResult & {
  /** The validated answer. With `question` or `decline`, the outcome. */
  readonly output: TOutput;
  /** How the answer was obtained: mode, attempts, position, repairs. */
  readonly provenance: Provenance;
} & ([Extract<TOutput, { readonly outcome: 'question' }>] extends [never]
    ? unknown
    : {
        /** Sends a person's answer to the question. Absent after another outcome. */
        readonly answer?: (
          text: string,
          options?: Omit<ContinueReadingOptions, 'output'>,
        ) => RunPromise<ReadOnlyRunResultWithOutput<TOutput>>;
      });

/** What refuses options that name a place for commits. */
export interface ReadOnlyCall {
  /** The call, in messages. */
  readonly of: string;
  /** Its options that contradict `readOnly`. */
  readonly names: readonly string[];
}

/** `run()`. */
export const READ_ONLY_RUN: ReadOnlyCall = { of: '`run()`', names: ['branchStrategy', 'publish'] };

/** `sandbox.run()` of a read-only sandbox. */
export const READ_ONLY_SANDBOX_RUN: ReadOnlyCall = { of: '`sandbox.run()`', names: ['publish'] };

/** `runBatch()`. */
export const READ_ONLY_BATCH: ReadOnlyCall = {
  of: '`runBatch()`',
  names: ['branchStrategy', 'branchPrefix', 'publish'],
};

/**
 * Refuses an option that contradicts `readOnly`, and an invalid `readOnly`.
 *
 * @throws UsageError
 */
export function assertReadOnly(options: { readonly readOnly?: unknown }, { of, names }: ReadOnlyCall): void {
  const { readOnly } = options;
  if (readOnly === undefined || readOnly === false) return;
  if (readOnly !== true) {
    throw new UsageError(
      `Expected \`readOnly\` to be a boolean, got ${describeValue(readOnly)}. Pass true or false, or leave it out.`,
    );
  }
  const name = names.find((each) => Reflect.get(options, each) !== undefined);
  if (name === undefined) return;
  throw new UsageError(
    `Expected no \`${name}\` for ${of} with \`readOnly\`, which throws all commits away. Remove one of them.`,
  );
}
