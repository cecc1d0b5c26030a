/** Defaults of a run, and all checks that need no file access. Runs before anything is created. */
import type { ContinuedWork } from '../../git/worktree/continued-worktree.ts';
import { assertUntil } from './assert-until.ts';
import { assertKnownOptions } from '@truecast/core/internal/options/known-options';
import type { Prices } from '@truecast/core/internal/kit/usage';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { assertAnswerable } from '@truecast/core/internal/output/definition/assert-definition';
import { toOutputDefinition } from '@truecast/core/internal/output/output';
import type { NativeSchema, StreamAgentProvider } from '../../ports/agent-provider.ts';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import { toStreamAgent } from '../../agents/stream/line-agent.ts';
import { assertEnv } from '../../support/assert-env.ts';
import { assertAttachments } from '../attachments/attachment.ts';
import { assertMode, chooseMode, type RunMode, lowerOutput } from './choose-mode.ts';
import {
  assertAgentProvider,
  assertWhere,
  assertHooks,
  assertSandboxProvider,
  completeTimeouts,
} from './place-options.ts';
import { assertPolicyLevel } from '../../support/policy-level.ts';
import {
  assertEditablePaths,
  assertSensitiveChangesPolicy,
  DEFAULT_SENSITIVE_CHANGES_POLICY,
  type SensitiveChangesPolicy,
} from '../review/sensitive-changes-policy.ts';
import {
  assertBudget,
  assertChoice,
  assertPublish,
  assertEnvironments,
  assertIterations,
  assertNestedOptions,
  assertPromptSource,
  assertRecord,
  assertRetries,
  assertTimes,
  assertWhole,
} from './assert-run-options.ts';
import { MAX_KEPT_RUNS } from '../record/kept-run.ts';
import { newBranch } from './new-branch.ts';
import {
  completeLimits,
  type Budget,
  type LoggingOption,
  type RunLimits,
  type RunPolicies,
  type Timeouts,
} from './run-bounds.ts';
import { assertStrategyFits } from '../../sandboxes/shared/sandbox-branch.ts';
import { assertTools, hasTools } from './tool-options.ts';
import { assertReadOnly, READ_ONLY_RUN, type AnyRunOptions } from './read-only.ts';
import { MOVED_OPTIONS, OTHER_WORDS } from './renamed-options.ts';
import { RUN_OPTIONS } from './run-option-names.ts';
import type { RunOptions } from './run-options.ts';

/** Signals that the agent is done, unless the caller sets another signal. */
const DEFAULT_COMPLETION_SIGNAL = '<promise>COMPLETE</promise>';

/** Enough for a task that an agent ends too early, and few for one that it cannot do. */
const DEFAULT_ROUNDS = 5;

/** A log whose type is set. */
export type TypedLogging = LoggingOption & { readonly type: 'file' | 'stdout' };

/** Complete options of a run. Later stages define no defaults. */
export interface NormalizedRunOptions
  extends
    Omit<RunOptions, 'output' | 'agent' | 'policies' | 'session' | 'budget' | 'readOnly'>,
    Pick<RunPolicies, 'secretsInOutput' | 'secretsInCommits' | 'onInterruption'> {
  readonly agent: StreamAgentProvider;
  readonly cwd: string;
  readonly mode: RunMode | undefined;
  readonly output: AnyOutputDefinition | undefined;
  /** True if the agent calls tools of the run: for its answer, or those of `tools`. */
  readonly usesServer: boolean;
  /** Schema for the agent's schema mode. Undefined in every other mode. */
  readonly native: NativeSchema | undefined;
  readonly maxCorrections: number;
  /** Valid answers at most. 1 without `until`. */
  readonly maxRounds: number;
  readonly maxIterations: number;
  readonly branchStrategy: BranchStrategy;
  /** True if the agent's work is thrown away. Its branch is then a temporary one. */
  readonly isThrownAway: boolean;
  /** True if the caller set no `branchStrategy`. The run then prints how to merge its branch. */
  readonly hasDefaultBranch: boolean;
  readonly completionSignals: readonly string[];
  readonly idleTimeoutMs: number;
  readonly completionTimeoutMs: number;
  readonly timeoutMs: number | undefined;
  readonly onLimit: 'wait' | 'fail';
  readonly maxLimitWaitMs: number;
  readonly budget: Budget | undefined;
  readonly prices: Prices | undefined;
  readonly resumeSession: string | undefined;
  readonly forkSession: boolean;
  readonly record: string | undefined;
  readonly editablePaths: readonly string[] | undefined;
  readonly logging: TypedLogging;
  /** True if the caller chose no type of log. The run then prints where its log is. */
  readonly hasDefaultLogging: boolean;
  /** Number of runs that are kept. With 0, this one is not kept. */
  readonly keptRuns: number;
  readonly timeouts: Required<Timeouts>;
  readonly sensitiveChanges: SensitiveChangesPolicy;
  readonly limits: RunLimits;
  /** Work of an earlier execution of the same run. Absent in the first one. */
  readonly continues?: ContinuedWork | undefined;
}

/**
 * Completes and validates the options of a run.
 *
 * @throws UsageError for every invalid option, with the expected value, the received value, and a
 *   remedy
 */
export function normalizeRunOptions(asked: AnyRunOptions): NormalizedRunOptions {
  assertShape(asked);
  const options = { ...asked, agent: toStreamAgent(asked.agent) };
  const { policies = {}, session = {}, timeouts = {}, budget, readOnly = false } = options;
  const output = completeOutput(options.output);
  // `null` from a JavaScript caller is rejected, like every other value that is not a number.
  const { maxIterations = 1 } = options;
  const maxCorrections = output?.maxCorrections ?? 0;
  const maxRounds = options.until === undefined ? 1 : (options.maxRounds ?? DEFAULT_ROUNDS);
  const logging: TypedLogging = { type: 'file', ...options.logging };
  const keptRuns = 'keepRuns' in logging ? (logging.keepRuns ?? MAX_KEPT_RUNS) : MAX_KEPT_RUNS;
  assertValues(options, { maxIterations, maxCorrections, keptRuns, logging });
  const mode = output === undefined ? undefined : chooseMode(output, options.agent);
  if (output !== undefined && mode !== undefined) assertMode(output, mode, options);
  const { nativeMode } = options.agent;
  const native =
    output !== undefined && mode === 'native' && nativeMode !== undefined
      ? lowerOutput(output, nativeMode)
      : undefined;
  if (output !== undefined) assertRetries(output, { maxCorrections, maxRounds }, options.agent);
  const branchStrategy = options.branchStrategy ?? newBranch(options);
  return {
    ...options,
    cwd: options.cwd ?? process.cwd(),
    mode,
    usesServer: mode === 'mcp' || hasTools(options.tools),
    output,
    native,
    maxCorrections,
    maxRounds,
    maxIterations,
    branchStrategy,
    isThrownAway: readOnly,
    hasDefaultBranch: options.branchStrategy === undefined,
    editablePaths: branchStrategy.type === 'head' ? branchStrategy.editablePaths : undefined,
    completionSignals: completionSignals(options.completionSignal),
    idleTimeoutMs: timeouts.idleMs ?? 600_000,
    completionTimeoutMs: timeouts.completionMs ?? 60_000,
    timeoutMs: timeouts.runMs,
    maxLimitWaitMs: timeouts.limitWaitMs ?? 6 * 3_600_000,
    budget,
    prices: budget?.prices,
    resumeSession: session.resume,
    forkSession: session.fork ?? false,
    record: logging.record,
    logging,
    hasDefaultLogging: options.logging?.type === undefined,
    keptRuns: logging.type === 'stdout' ? 0 : keptRuns,
    timeouts: completeTimeouts(timeouts),
    ...policies,
    onLimit: policies.onLimit ?? 'fail',
    sensitiveChanges: policies.sensitiveChanges ?? DEFAULT_SENSITIVE_CHANGES_POLICY,
    limits: completeLimits(logging, session),
  };
}

/** Rejects values of single options, and options that exclude each other. */
function assertValues(
  options: AnyRunOptions & { readonly agent: StreamAgentProvider },
  counts: Pick<NormalizedRunOptions, 'maxIterations' | 'maxCorrections' | 'keptRuns' | 'logging'>,
): void {
  const { policies = {}, timeouts = {} } = options;
  assertWhole('maxIterations', counts.maxIterations, 1);
  assertWhole('maxCorrections', counts.maxCorrections, 0);
  assertWhole('logging.keepRuns', counts.keptRuns, 0);
  assertTimes(timeouts);
  assertPromptSource(options);
  assertAttachments(options.attachments);
  assertPolicyLevel('policies.secretsInCommits', policies.secretsInCommits);
  assertPolicyLevel('policies.secretsInOutput', policies.secretsInOutput);
  assertPublish(options);
  assertChoice('policies.onLimit', policies.onLimit, ['wait', 'fail']);
  assertRecord(counts.logging);
  assertIterations(options, counts.maxIterations);
  assertUntil(options);
  assertChoice('policies.onInterruption', policies.onInterruption, ['auto', 'restart', 'fail']);
  assertEnvironments(options);
  assertBudget(options);
  assertTools(options);
}

function assertShape(options: AnyRunOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(
      `Expected options for \`run()\`, got ${describeValue(options)}. Pass \`{ agent, sandbox, prompt }\`.`,
    );
  }
  assertKnownOptions(options, {
    of: '`run()`',
    names: RUN_OPTIONS,
    moved: { ...OTHER_WORDS, ...MOVED_OPTIONS },
  });
  assertNestedOptions(options);
  assertWhere(options);
  assertReadOnly(options, READ_ONLY_RUN);
  assertAgentProvider(options.agent);
  assertSandboxProvider(options.sandbox);
  assertEnv('env', options.env);
  assertHooks(options.hooks);
  assertSensitiveChangesPolicy(options.policies?.sensitiveChanges);
  if (options.branchStrategy !== undefined) assertBranchStrategy(options.branchStrategy, options);
}

function completeOutput(output: RunOptions['output']): AnyOutputDefinition | undefined {
  const definition = toOutputDefinition(output);
  if (definition !== undefined) assertAnswerable(definition);
  if (output === undefined || definition !== undefined) return definition;
  throw new UsageError(
    `Expected \`output\` to be created with \`Output\`, got ${describeValue(output)}. Write \`Output.object({ tag, schema })\`.`,
  );
}

const STRATEGIES: readonly string[] = ['head', 'merge-to-head', 'branch'];

function assertBranchStrategy(
  branchStrategy: BranchStrategy,
  { copyToWorktree, sandbox }: AnyRunOptions,
): void {
  if (!STRATEGIES.includes(branchStrategy.type)) {
    throw new UsageError(
      `Expected \`branchStrategy.type\` to be one of ${STRATEGIES.join(', ')}, got ${describeValue(branchStrategy.type)}. Write \`{ type: 'merge-to-head' }\`.`,
    );
  }
  const isHead = branchStrategy.type === 'head';
  if (isHead) assertEditablePaths(branchStrategy.editablePaths);
  assertStrategyFits(branchStrategy, sandbox);
  if (isHead && copyToWorktree !== undefined && copyToWorktree.length > 0) {
    throw new UsageError(
      '`copyToWorktree` cannot be used with the branch strategy `head`: the agent works in the repository itself. Use `merge-to-head` or `branch`, or remove `copyToWorktree`.',
    );
  }
}

function completionSignals(option: RunOptions['completionSignal']): readonly string[] {
  const signals =
    option === undefined ? [DEFAULT_COMPLETION_SIGNAL] : typeof option === 'string' ? [option] : option;
  if (signals.length > 0 && signals.every((signal) => typeof signal === 'string' && signal !== '')) {
    return signals;
  }
  throw new UsageError(
    `Expected \`completionSignal\` to be a non-empty string, or several, got ${describeValue(option)}.`,
  );
}
