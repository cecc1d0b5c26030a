/** Checks of single options of a run, and of options that exclude each other. Each throws a UsageError. */
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { assertTimeout } from '@truecast/core/internal/options/timeout';
import type { Prices } from '@truecast/core/internal/kit/usage';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { SandboxHooks } from './hooks.ts';
import type { Budget, LoggingOption, RunPolicies, RunTimeouts, SessionOption } from './run-bounds.ts';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import { assertStepTimes, STEP_TIMEOUTS } from './place-options.ts';
import type { RunOptions } from './run-options.ts';

/** Options with the agent's provider. */
export type AskedOptions = Omit<RunOptions, 'agent' | 'readOnly'> & { readonly agent: AgentProvider };

/** Rejects a value that is not an integer of at least `minimum`. */
export function assertWhole(name: string, value: number, minimum: 0 | 1): void {
  if (Number.isInteger(value) && value >= minimum) return;
  const expected = minimum === 0 ? 'a non-negative integer' : 'an integer of 1 or more';
  throw new UsageError(`Expected \`${name}\` to be ${expected}, got ${describeValue(value)}.`);
}

/** Limits that no timer keeps: they can be infinite. */
const UNTIMED = ['idleMs', 'completionMs', 'limitWaitMs'] as const;

/** Rejects timeouts that are not positive, or longer than a timer. */
export function assertTimes(timeouts: RunTimeouts): void {
  assertTimeout('timeouts.runMs', timeouts.runMs);
  assertStepTimes(timeouts);
  for (const name of UNTIMED) {
    const value = timeouts[name];
    if (value === undefined || (typeof value === 'number' && value > 0)) continue;
    throw new UsageError(
      `Expected \`timeouts.${name}\` to be a positive number of milliseconds, got ${describeValue(value)}. Correct it.`,
    );
  }
}

/** Rejects a value that is none of the choices. */
export function assertChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.some((choice) => choice === value)) return;
  const listed = choices.map((choice) => `'${choice}'`).join(' or ');
  throw new UsageError(`Expected \`${name}\` to be ${listed}, got ${describeValue(value)}.`);
}

/** Rejects a publication of the caller's own branch. */
export function assertPublish({
  publish,
  branchStrategy,
}: Pick<RunOptions, 'publish' | 'branchStrategy'>): void {
  if (publish === undefined) return;
  if (publish !== 'pull-request') {
    throw new UsageError(`Expected \`publish\` to be 'pull-request', got ${describeValue(publish)}.`);
  }
  if (branchStrategy?.type === 'merge-to-head' && branchStrategy.check !== undefined) {
    throw new UsageError(
      "`branchStrategy.check` runs before a merge, but with `publish: 'pull-request'` nothing is merged. Remove one of them, or check the answer with `check` of the `output`.",
    );
  }
  if (branchStrategy?.type !== 'head') return;
  throw new UsageError(
    "`publish: 'pull-request'` needs a separate branch, but the branch strategy is `head`. Use `merge-to-head` or `branch`.",
  );
}

/** Rejects an invalid path for the recording. */
export function assertRecord({ record }: LoggingOption): void {
  if (record === undefined || (typeof record === 'string' && record !== '')) return;
  throw new UsageError(
    `Expected \`logging.record\` to be the path of a file, got ${describeValue(record)}. Pass a path, or remove it.`,
  );
}

/** Rejects a call without exactly one prompt. */
export function assertPromptSource({
  prompt,
  promptFile,
  promptArgs,
}: Pick<RunOptions, 'prompt' | 'promptFile' | 'promptArgs'>): void {
  if ((prompt === undefined) === (promptFile === undefined)) {
    throw new UsageError(
      `Expected exactly one of \`prompt\` and \`promptFile\`, got ${prompt === undefined ? 'neither' : 'both'}. ${prompt === undefined ? 'Pass one' : 'Remove one'}.`,
    );
  }
  if (prompt !== undefined && promptArgs !== undefined && Object.keys(promptArgs).length > 0) {
    throw new UsageError(
      '`promptArgs` cannot be used with an inline `prompt`, which is taken literally. Insert the values into the prompt, or write it to a file and set `promptFile`.',
    );
  }
}

/** Rejects sessions and iterations that exclude each other. */
export function assertIterations({ output, session, agent }: AskedOptions, maxIterations: number): void {
  const { resume, fork } = session ?? {};
  if (output !== undefined && maxIterations !== 1) {
    throw new UsageError(
      `Expected \`maxIterations\` to be 1 with an \`output\`, got ${describeValue(maxIterations)}. Remove \`maxIterations\` or \`output\`.`,
    );
  }
  if (resume !== undefined && maxIterations !== 1) {
    throw new UsageError(
      '`session.resume` cannot be combined with `maxIterations`: only the first iteration could continue the session. Remove one of them.',
    );
  }
  if (fork === true && resume === undefined) {
    throw new UsageError(
      '`session.fork` needs `session.resume`, the session to fork. Pass it, or call `.fork()` on a result.',
    );
  }
  if (resume !== undefined && agent.sessionStorage === undefined) {
    throw new UsageError(
      `The agent \`${agent.name}\` does not support \`session.resume\`. Use \`claudeCode()\` or \`codex()\`, or remove it.`,
    );
  }
  if (fork === true && agent.canFork !== true) {
    throw new UsageError(
      `The agent \`${agent.name}\` cannot fork a session. Resume it instead, or use an agent that can.`,
    );
  }
}

/** Rejects a variable that agent and sandbox both set. */
export function assertEnvironments({ agent, sandbox }: AskedOptions): void {
  const shared = Object.keys(agent.env).filter((key) => Object.hasOwn(sandbox.env, key));
  if (shared.length === 0) return;
  throw new UsageError(
    `The agent's and the sandbox's \`env\` both set ${shared.map((key) => `\`${key}\``).join(', ')}. Set each in one of them.`,
  );
}

/**
 * Rejects a limit on requests that no proxy forwards. Without `egress`, the run decides later.
 *
 * @throws UsageError `unsupported`
 */
export function assertCountableRequests(budget: Budget | undefined, sandbox: SandboxProvider): void {
  if (budget?.requests === undefined) return;
  const egress = sandbox.tag === 'bind-mount' ? sandbox.egress : 'host';
  if (egress === undefined || egress === 'model') return;
  throw new UsageError(
    `Expected a sandbox with \`egress: 'model'\` for \`budget.requests\`, got \`${sandbox.name}\` without it, so no proxy counts the requests. Set \`egress: 'model'\`, or use \`budget.tokens\`.`,
    { code: 'unsupported' },
  );
}

/** Rejects a budget that is not positive, or that cannot be enforced for the agent. */
export function assertBudget({ budget, agent, sandbox }: AskedOptions): void {
  assertCountableRequests(budget, sandbox);
  for (const name of ['tokens', 'usd', 'requests'] as const) {
    const value = budget?.[name];
    if (value === undefined || (typeof value === 'number' && value > 0)) continue;
    throw new UsageError(
      `Expected \`budget.${name}\` to be a positive number, got ${describeValue(value)}. Correct it, or leave it out.`,
    );
  }
  if (budget?.usd !== undefined && agent.reportsCost !== true && budget.prices === undefined) {
    throw new UsageError(
      `\`budget.usd\` needs cost data, which the agent \`${agent.name}\` does not report. Use \`budget.tokens\`, or pass \`budget.prices\`.`,
    );
  }
}

/** Rejects retries and rounds that the agent cannot run. */
export function assertRetries(
  output: AnyOutputDefinition,
  { maxCorrections, maxRounds }: { readonly maxCorrections: number; readonly maxRounds: number },
  agent: AgentProvider,
): void {
  const name = maxCorrections > 0 ? 'maxCorrections' : 'until';
  if (maxCorrections === 0 && maxRounds === 1) return;
  if (output.retry === 'fresh' || agent.sessionStorage !== undefined) return;
  const rest = maxCorrections > 0 ? 'set `maxCorrections` to 0' : 'remove `until`';
  throw new UsageError(
    `\`${name}\` needs an agent that can resume a session, and \`${agent.name}\` cannot. Set \`retry: 'fresh'\`, use \`claudeCode()\` or \`codex()\`, or ${rest}.`,
  );
}

/** Rejects a check that would not run. */
function assertMergeCheck({ type, ...strategy }: BranchStrategy): void {
  if (!('check' in strategy) || strategy.check === undefined) return;
  if (type !== 'merge-to-head') {
    throw new UsageError(
      `Expected \`branchStrategy.check\` with \`merge-to-head\`, got it with \`${type}\`, which merges nothing. Use \`merge-to-head\`, or merge the branch with \`merge()\`.`,
    );
  }
  assertTreeCheck('branchStrategy.check', strategy.check);
}

/** Rejects a check of merged files that is not a function. */
export function assertTreeCheck(name: string, check: unknown): void {
  if (check === undefined || typeof check === 'function') return;
  throw new UsageError(
    `Expected \`${name}\` to be a function, got ${describeValue(check)}. Write \`check: async ({ exec }) => …\`.`,
  );
}

const TIMEOUTS: OptionNames<RunTimeouts> = {
  ...STEP_TIMEOUTS,
  runMs: true,
  idleMs: true,
  completionMs: true,
  limitWaitMs: true,
};
const BUDGET: OptionNames<Budget> = { tokens: true, usd: true, requests: true, prices: true };
const SESSION: OptionNames<SessionOption> = { resume: true, fork: true, maxBytes: true };
const POLICIES: OptionNames<RunPolicies> = {
  sensitiveChanges: true,
  secretsInOutput: true,
  secretsInCommits: true,
  onLimit: true,
  onInterruption: true,
};
const PRICES: OptionNames<Prices> = {
  inputUsdPerMillion: true,
  outputUsdPerMillion: true,
  cacheReadUsdPerMillion: true,
  cacheCreationUsdPerMillion: true,
};
const LOGGING: OptionNames<LoggingOption> = {
  type: true,
  path: true,
  live: true,
  verbose: true,
  maxBytes: true,
  keepRuns: true,
  record: true,
  maxRecordBytes: true,
  onAgentStreamEvent: true,
};
const STRATEGY: OptionNames<BranchStrategy> = {
  type: true,
  branchPrefix: true,
  branch: true,
  baseBranch: true,
  editablePaths: true,
  check: true,
};
const HOOKS: OptionNames<SandboxHooks> = { host: true, sandbox: true };
const HOST_HOOKS: OptionNames<NonNullable<SandboxHooks['host']>> = {
  onWorktreeReady: true,
  onSandboxReady: true,
};
const INNER_HOOKS: OptionNames<NonNullable<SandboxHooks['sandbox']>> = { onSandboxReady: true };

/** Options with other options inside. */
const NESTED = {
  timeouts: TIMEOUTS,
  budget: BUDGET,
  policies: POLICIES,
  session: SESSION,
  logging: LOGGING,
  branchStrategy: STRATEGY,
  hooks: HOOKS,
} as const;

const REMEDIES: Readonly<Record<string, string>> = {
  logging: "Write `{ type: 'file' }` or `{ type: 'stdout' }`, or leave it out.",
  branchStrategy: "Write it as an object, such as `{ type: 'merge-to-head' }`.",
};

/**
 * Rejects unknown options inside others.
 *
 * @throws UsageError that names the option, with a suggestion
 */
export function assertNestedOptions(options: object): void {
  for (const [name, names] of Object.entries(NESTED)) {
    const value: unknown = Reflect.get(options, name);
    const hint = REMEDIES[name];
    if (value !== undefined) {
      assertKnownOptions(value, { of: `\`${name}\``, names, ...(hint !== undefined && { hint }) });
    }
  }
  const { hooks, budget, branchStrategy }: Partial<Pick<RunOptions, 'hooks' | 'budget' | 'branchStrategy'>> =
    options;
  if (branchStrategy !== undefined) assertMergeCheck(branchStrategy);
  if (budget?.prices !== undefined) {
    assertKnownOptions(budget.prices, { of: '`budget.prices`', names: PRICES });
  }
  if (hooks?.host !== undefined) assertKnownOptions(hooks.host, { of: '`hooks.host`', names: HOST_HOOKS });
  if (hooks?.sandbox !== undefined) {
    assertKnownOptions(hooks.sandbox, { of: '`hooks.sandbox`', names: INNER_HOOKS });
  }
}
