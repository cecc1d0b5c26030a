/** Defaults of a run, and all checks that need no file access. Runs before anything is created. */
import { assertKnownOptions } from '@truecast/core/internal/options/known-options';
import { describeValue } from '@truecast/core/internal/errors/base/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { assertAnswerable } from '@truecast/core/internal/output/definition/assert-answerable';
import { toOutputDefinition } from '@truecast/core/internal/output/output';
import type { NativeSchema, StreamAgentProvider } from '../../ports/agent-provider.ts';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import { toStreamAgent } from '../../agents/stream/line-agent.ts';
import { assertEnv } from '../../support/assert-env.ts';
import { assertRoute, chooseRoute, type RunRoute } from './choose-route.ts';
import { lowerOutput } from './native-schema.ts';
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
  assertSeconds,
  assertWhole,
} from './assert-run-options.ts';
import { MAX_KEPT_RUNS } from '../record/kept-run.ts';
import { newBranch } from './new-branch.ts';
import { completeLimits } from './run-limits.ts';
import { assertStrategyFits } from '../../sandboxes/shared/sandbox-branch.ts';
import type { LoggingOption, RunLimits, Timeouts } from './run-bounds.ts';
import { RUN_OPTIONS, type RunOptions } from './run-options.ts';

/** Signals that the agent is done, unless the caller sets another signal. */
const DEFAULT_COMPLETION_SIGNAL = '<promise>COMPLETE</promise>';

/** Complete options of a run. Later stages define no defaults. */
export interface NormalizedRunOptions extends Omit<RunOptions, 'output' | 'agent'> {
  readonly agent: StreamAgentProvider;
  readonly cwd: string;
  readonly route: RunRoute | undefined;
  readonly output: AnyOutputDefinition | undefined;
  /** Schema for the agent's schema mode. Undefined on every other route. */
  readonly native: NativeSchema | undefined;
  readonly maxCorrections: number;
  readonly maxIterations: number;
  readonly branchStrategy: BranchStrategy;
  /** True if the caller set no `branchStrategy`. The run then prints how to merge its branch. */
  readonly hasDefaultBranch: boolean;
  readonly completionSignals: readonly string[];
  readonly idleTimeoutMs: number;
  readonly completionTimeoutMs: number;
  readonly timeoutMs: number | undefined;
  readonly onLimit: 'wait' | 'fail';
  readonly maxLimitWaitMs: number;
  readonly logging: LoggingOption;
  /** True if the caller set no `logging`. The run then prints where its log is. */
  readonly hasDefaultLogging: boolean;
  /** Number of runs that are kept. With 0, this one is not kept. */
  readonly keptRuns: number;
  readonly timeouts: Required<Timeouts>;
  readonly sensitiveChanges: SensitiveChangesPolicy;
  readonly limits: Required<RunLimits>;
}

/**
 * Completes and validates the options of a run.
 *
 * @throws UsageError for every invalid option, with the expected value, the received value, and a
 *   remedy
 */
export function normalizeRunOptions(asked: RunOptions): NormalizedRunOptions {
  assertShape(asked);
  const options = { ...asked, agent: toStreamAgent(asked.agent) };
  const output = completeOutput(options.output);
  // `null` from a JavaScript caller is rejected, like every other value that is not a number.
  const { maxIterations = 1 } = options;
  const maxCorrections = options.maxCorrections ?? output?.maxCorrections ?? 0;
  const logging = options.logging ?? { type: 'file' };
  assertWhole('maxIterations', maxIterations, 1);
  assertWhole('maxCorrections', maxCorrections, 0);
  const keptRuns = options.runs?.keep ?? MAX_KEPT_RUNS;
  assertWhole('runs.keep', keptRuns, 0);
  assertSeconds(options);
  assertPromptSource(options);
  assertPolicyLevel('secretsInCommits', options.secretsInCommits);
  assertPolicyLevel('secretsInOutput', options.secretsInOutput);
  assertPublish(options);
  assertChoice('onLimit', options.onLimit, ['wait', 'fail']);
  assertRecord(options);
  assertIterations(options, maxIterations);
  assertEnvironments(options);
  assertBudget(options);
  const route = output === undefined ? undefined : chooseRoute(output, options.agent);
  if (output !== undefined && route !== undefined) assertRoute(output, route, options);
  const { nativeRoute } = options.agent;
  const native =
    output !== undefined && route === 'native' && nativeRoute !== undefined
      ? lowerOutput(output, nativeRoute)
      : undefined;
  if (output !== undefined) assertRetries(output, maxCorrections, options.agent);
  const seconds = (value: number | undefined, fallback: number): number => (value ?? fallback) * 1000;
  return {
    ...options,
    cwd: options.cwd ?? process.cwd(),
    route,
    output,
    native,
    maxCorrections,
    maxIterations,
    branchStrategy: options.branchStrategy ?? newBranch(options),
    hasDefaultBranch: options.branchStrategy === undefined,
    completionSignals: completionSignals(options.completionSignal),
    idleTimeoutMs: seconds(options.idleTimeoutSeconds, 600),
    completionTimeoutMs: seconds(options.completionTimeoutSeconds, 60),
    timeoutMs: options.timeoutSeconds === undefined ? undefined : options.timeoutSeconds * 1000,
    onLimit: options.onLimit ?? 'fail',
    maxLimitWaitMs: seconds(options.maxLimitWaitSeconds, 6 * 3600),
    logging,
    hasDefaultLogging: options.logging === undefined,
    keptRuns: logging.type === 'stdout' ? 0 : keptRuns,
    timeouts: completeTimeouts(options.timeouts),
    sensitiveChanges: options.sensitiveChanges ?? DEFAULT_SENSITIVE_CHANGES_POLICY,
    limits: completeLimits(options.limits),
  };
}

function assertShape(options: RunOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(
      `Expected options for \`run()\`, got ${describeValue(options)}. Pass \`{ agent, sandbox, prompt }\`.`,
    );
  }
  assertKnownOptions(options, { of: '`run()`', names: RUN_OPTIONS });
  assertNestedOptions(options);
  assertWhere(options);
  assertAgentProvider(options.agent);
  assertSandboxProvider(options.sandbox);
  assertEnv('env', options.env);
  assertHooks(options.hooks);
  assertSensitiveChangesPolicy(options.sensitiveChanges);
  assertEditablePaths(options.editablePaths);
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

function assertBranchStrategy(branchStrategy: BranchStrategy, { copyToWorktree, sandbox }: RunOptions): void {
  if (!STRATEGIES.includes(branchStrategy.type)) {
    throw new UsageError(
      `Expected \`branchStrategy.type\` to be one of ${STRATEGIES.join(', ')}, got ${describeValue(branchStrategy.type)}. Write \`{ type: 'merge-to-head' }\`.`,
    );
  }
  const isHead = branchStrategy.type === 'head';
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
  if (signals.length > 0 && signals.every((signal) => typeof signal === 'string' && signal !== ''))
    return signals;
  throw new UsageError(
    `Expected \`completionSignal\` to be a non-empty string, or several, got ${describeValue(option)}.`,
  );
}
