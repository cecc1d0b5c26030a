/** Defaults of a run, and all checks that need no file access. Runs before anything is created. */
import { describeValue } from '@truecast/core/internal/errors/base/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { isOutputDefinition } from '@truecast/core/internal/output/output';
import type { AgentProvider, NativeSchema } from '../../ports/agent-provider.ts';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import { toAgentProvider } from '../../agents/stream/line-agent.ts';
import { assertRoute, chooseRoute, type RunRoute } from './choose-route.ts';
import { lowerOutput } from './native-schema.ts';
import {
  assertAgentProvider,
  assertHooks,
  assertSandboxProvider,
  completeTimeouts,
} from './place-options.ts';
import {
  assertEditablePaths,
  assertSensitiveChangesPolicy,
  DEFAULT_SENSITIVE_CHANGES_POLICY,
  type SensitiveChangesPolicy,
} from '../review/sensitive-changes-policy.ts';
import { completeLimits } from './run-limits.ts';
import { assertStrategyFits, defaultBranchStrategy } from '../../sandboxes/shared/sandbox-branch.ts';
import type { LoggingOption, RunLimits, RunOptions, Timeouts } from './run-options.ts';

/** Signals that the agent is done, unless the caller sets another signal. */
const DEFAULT_COMPLETION_SIGNAL = '<promise>COMPLETE</promise>';

/** Complete options of a run. Later stages define no defaults. */
export interface NormalizedRunOptions extends Omit<RunOptions, 'output' | 'agent'> {
  readonly agent: AgentProvider;
  readonly cwd: string;
  readonly route: RunRoute | undefined;
  readonly output: AnyOutputDefinition | undefined;
  /** Schema for the agent's schema mode. Undefined on every other route. */
  readonly native: NativeSchema | undefined;
  readonly maxRetries: number;
  readonly maxIterations: number;
  readonly branchStrategy: BranchStrategy;
  readonly completionSignals: readonly string[];
  readonly idleTimeoutMs: number;
  readonly completionTimeoutMs: number;
  readonly timeoutMs: number | undefined;
  readonly logging: LoggingOption;
  readonly timeouts: Required<Timeouts>;
  readonly sensitiveChanges: SensitiveChangesPolicy;
  readonly limits: Required<RunLimits>;
}

type AskedOptions = Omit<RunOptions, 'agent'> & { readonly agent: AgentProvider };

/**
 * Completes and validates the options of a run.
 *
 * @throws UsageError for every invalid option, with the expected value, the received value, and a
 *   remedy
 */
export function normalizeRunOptions(asked: RunOptions): NormalizedRunOptions {
  assertShape(asked);
  const options = { ...asked, agent: toAgentProvider(asked.agent) };
  const output = options.output;
  const maxIterations = options.maxIterations ?? 1;
  const maxRetries = options.maxRetries ?? output?.maxRetries ?? 0;
  assertWhole('maxIterations', maxIterations, 1);
  assertWhole('maxRetries', maxRetries, 0);
  assertSeconds(options);
  assertPromptSource(options);
  assertSecretsInOutput(options);
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
  if (output !== undefined) assertRetries(output, maxRetries, options.agent);
  const seconds = (value: number | undefined, fallback: number): number => (value ?? fallback) * 1000;
  return {
    ...options,
    cwd: options.cwd ?? process.cwd(),
    route,
    output,
    native,
    maxRetries,
    maxIterations,
    branchStrategy: options.branchStrategy ?? defaultBranchStrategy(options.sandbox),
    completionSignals: completionSignals(options.completionSignal),
    idleTimeoutMs: seconds(options.idleTimeoutSeconds, 600),
    completionTimeoutMs: seconds(options.completionTimeoutSeconds, 60),
    timeoutMs: options.timeoutSeconds === undefined ? undefined : options.timeoutSeconds * 1000,
    logging: options.logging ?? { type: 'file' },
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
  assertAgentProvider(options.agent);
  assertSandboxProvider(options.sandbox);
  assertHooks(options.hooks);
  assertSensitiveChangesPolicy(options.sensitiveChanges);
  assertEditablePaths(options.editablePaths);
  if (options.output !== undefined && !isOutputDefinition(options.output)) {
    throw new UsageError(
      `Expected \`output\` to be created with \`Output\`, got ${describeValue(options.output)}. Write \`Output.object({ tag, schema })\`.`,
    );
  }
  assertBranchStrategy(options.branchStrategy ?? defaultBranchStrategy(options.sandbox), options);
}

const STRATEGIES: readonly string[] = ['head', 'merge-to-head', 'branch'];

function assertBranchStrategy(branchStrategy: BranchStrategy, { copyToWorktree, sandbox }: RunOptions): void {
  if (!STRATEGIES.includes(branchStrategy.type)) {
    throw new UsageError(
      `Expected \`branchStrategy.type\` to be one of ${STRATEGIES.join(', ')}, got ${describeValue(branchStrategy.type)}.`,
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

function assertWhole(name: string, value: number, minimum: 0 | 1): void {
  if (Number.isInteger(value) && value >= minimum) return;
  const expected = minimum === 0 ? 'a non-negative integer' : 'an integer of 1 or more';
  throw new UsageError(`Expected \`${name}\` to be ${expected}, got ${describeValue(value)}.`);
}

function assertSeconds(options: RunOptions): void {
  for (const name of ['idleTimeoutSeconds', 'completionTimeoutSeconds', 'timeoutSeconds'] as const) {
    const value = options[name];
    if (value === undefined || (typeof value === 'number' && value > 0)) continue;
    throw new UsageError(
      `Expected \`${name}\` to be a positive number of seconds, got ${describeValue(value)}.`,
    );
  }
}

function assertSecretsInOutput({ secretsInOutput }: RunOptions): void {
  if (secretsInOutput === undefined || ['warn', 'refuse'].includes(secretsInOutput)) return;
  throw new UsageError(
    `Expected \`secretsInOutput\` to be 'warn' or 'refuse', got ${describeValue(secretsInOutput)}.`,
  );
}

function assertRecord({ record }: RunOptions): void {
  if (record === undefined || (typeof record === 'string' && record !== '')) return;
  throw new UsageError(
    `Expected \`record\` to be the path of a file, got ${describeValue(record)}. Pass a path, or remove \`record\`.`,
  );
}

function assertPromptSource({ prompt, promptFile, promptArgs }: RunOptions): void {
  if ((prompt === undefined) === (promptFile === undefined)) {
    throw new UsageError(
      `Expected exactly one of \`prompt\` and \`promptFile\`, got ${prompt === undefined ? 'neither' : 'both'}.`,
    );
  }
  if (prompt !== undefined && promptArgs !== undefined && Object.keys(promptArgs).length > 0) {
    throw new UsageError(
      '`promptArgs` cannot be used with an inline `prompt`, which is taken literally. Use a template string, or move the prompt into a `promptFile`.',
    );
  }
}

function assertIterations(
  { output, resumeSession, forkSession, agent }: AskedOptions,
  maxIterations: number,
): void {
  if (output !== undefined && maxIterations !== 1) {
    throw new UsageError(
      `Expected \`maxIterations\` to be 1 with an \`output\`, got ${describeValue(maxIterations)}. Remove \`maxIterations\` or \`output\`.`,
    );
  }
  if (resumeSession !== undefined && maxIterations !== 1) {
    throw new UsageError(
      '`resumeSession` cannot be combined with `maxIterations`: only the first iteration could continue the session. Remove one of them.',
    );
  }
  if (forkSession === true && resumeSession === undefined) {
    throw new UsageError(
      '`forkSession` needs `resumeSession`, the session to fork. Pass it, or call `.fork()` on a result.',
    );
  }
  if (resumeSession !== undefined && agent.sessionStorage === undefined) {
    throw new UsageError(
      `The agent \`${agent.name}\` does not support \`resumeSession\`. Use \`claudeCode()\` or \`codex()\`, or remove it.`,
    );
  }
  if (forkSession === true && agent.canFork !== true) {
    throw new UsageError(
      `The agent \`${agent.name}\` cannot fork a session. Resume it instead, or use an agent that can.`,
    );
  }
}

function assertEnvironments({ agent, sandbox }: AskedOptions): void {
  const shared = Object.keys(agent.env).filter((key) => Object.hasOwn(sandbox.env, key));
  if (shared.length === 0) return;
  throw new UsageError(
    `The agent's and the sandbox's \`env\` both set ${shared.map((key) => `\`${key}\``).join(', ')}. Set each in one of them.`,
  );
}

function assertBudget({ budget, prices, agent }: AskedOptions): void {
  for (const name of ['tokens', 'usd', 'requests'] as const) {
    const value = budget?.[name];
    if (value === undefined || (typeof value === 'number' && value > 0)) continue;
    throw new UsageError(`Expected \`budget.${name}\` to be a positive number, got ${describeValue(value)}.`);
  }
  if (budget?.usd !== undefined && agent.reportsCost !== true && prices === undefined) {
    throw new UsageError(
      `\`budget.usd\` needs cost data, which the agent \`${agent.name}\` does not report. Pass \`prices\`, or use \`budget.tokens\`.`,
    );
  }
}

function assertRetries(output: AnyOutputDefinition, maxRetries: number, agent: AgentProvider): void {
  if (maxRetries === 0 || output.retry === 'fresh' || agent.sessionStorage !== undefined) return;
  throw new UsageError(
    `\`maxRetries\` needs an agent that can resume a session, and \`${agent.name}\` cannot. Set \`retry: 'fresh'\` on the output, use \`claudeCode()\` or \`codex()\`, or set \`maxRetries\` to 0.`,
  );
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
