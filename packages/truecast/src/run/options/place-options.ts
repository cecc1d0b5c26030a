/**
 * Options of a place that outlives its runs: defaults and validation, before anything is created.
 */
import { assertKind, assertSignal, UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { assertTimeout } from '@truecast/core/internal/options/timeout';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type {
  BranchStrategy,
  MergeToHeadBranchStrategy,
  NamedBranchStrategy,
} from '../../git/command/branch-strategy.ts';
import { GIT_TIMEOUT_MS } from '../../git/command/git.ts';
import {
  assertSensitiveChangesPolicy,
  DEFAULT_SENSITIVE_CHANGES_POLICY,
  type SensitiveChangesPolicy,
} from '../review/sensitive-changes-policy.ts';
import { toTerminalLines } from '../../support/terminal-text.ts';
import type { PlacePolicies, Timeouts } from './run-bounds.ts';
import type { RunOptions } from './run-options.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import type { HostHook, SandboxHooks } from './hooks.ts';
import { assertEnv } from '../../support/assert-env.ts';

export interface PlaceOptions {
  /** Host repository, or a folder in it. @default `process.cwd()` */
  readonly cwd?: string;
  /**
   * Files to copy into the worktree because git does not copy them. Paths are relative to the
   * repository.
   */
  readonly copyToWorktree?: readonly string[];
  /** Commands around the start. Without a sandbox, only `host.onWorktreeReady` runs. */
  readonly hooks?: SandboxHooks;
  /** Limits on the steps around the agents. */
  readonly timeouts?: Timeouts;
  /** As in `run()`, for every run and session here. */
  readonly policies?: PlacePolicies;
  /** Aborts the opening of the place. To end an open place, close it. */
  readonly signal?: AbortSignal;
  /** Called with warnings. @default `process.emitWarning` */
  readonly onWarning?: (message: string) => void;
}

/** Complete options of a place where agents work. */
export interface PlaceSettings {
  readonly branchStrategy: BranchStrategy;
  readonly hooks?: SandboxHooks | undefined;
  readonly copyToWorktree?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly timeouts: Required<Timeouts>;
  readonly sensitiveChanges: SensitiveChangesPolicy;
  readonly editablePaths?: readonly string[] | undefined;
  /** True if the place's agents only read. @default false */
  readonly isThrownAway?: boolean | undefined;
}

/** Names of these options, complete by their type. Others are refused. */
export const PLACE_OPTIONS: OptionNames<PlaceOptions> = {
  cwd: true,
  copyToWorktree: true,
  hooks: true,
  timeouts: true,
  policies: true,
  signal: true,
  onWarning: true,
};

/** A worktree that outlives its runs is never the caller's checkout. */
export type WorktreeBranchStrategy = MergeToHeadBranchStrategy | NamedBranchStrategy;

export interface PlaceSandboxOptions {
  /** The sandbox to start. */
  readonly sandbox: SandboxProvider;
  /**
   * Agents that will work here. Their programs are mounted, and they decide the default of
   * `egress`. Without agents that default is `'none'`. @default []
   */
  readonly agents?: readonly AgentProvider[];
  /**
   * Added to the environment of every command inside. Takes precedence over `.truecast/.env`.
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>>;
}

/** Names of these options, complete by their type. Others are refused. */
export const PLACE_SANDBOX_OPTIONS: OptionNames<PlaceSandboxOptions> = {
  sandbox: true,
  agents: true,
  env: true,
};

/** Fills in the limits on the steps around an agent. */
export function completeTimeouts(timeouts: Timeouts | undefined): Required<Timeouts> {
  return {
    copyToWorktreeMs: timeouts?.copyToWorktreeMs ?? 60_000,
    gitSetupMs: timeouts?.gitSetupMs ?? GIT_TIMEOUT_MS,
    promptExpressionMs: timeouts?.promptExpressionMs ?? 30_000,
    commitCollectionMs: timeouts?.commitCollectionMs ?? 120_000,
    mergeToHostMs: timeouts?.mergeToHostMs ?? 120_000,
    checkMs: timeouts?.checkMs ?? 1_800_000,
    publishMs: timeouts?.publishMs ?? 120_000,
    sessionCopyMs: timeouts?.sessionCopyMs ?? 60_000,
    sandboxCloseMs: timeouts?.sandboxCloseMs ?? 60_000,
    abortedHandOverMs: timeouts?.abortedHandOverMs ?? 120_000,
  };
}

/** Names of the timeouts of steps, complete by their type. */
export const STEP_TIMEOUTS: OptionNames<Timeouts> = {
  copyToWorktreeMs: true,
  gitSetupMs: true,
  promptExpressionMs: true,
  commitCollectionMs: true,
  mergeToHostMs: true,
  checkMs: true,
  publishMs: true,
  sessionCopyMs: true,
  sandboxCloseMs: true,
  abortedHandOverMs: true,
};
const POLICIES: OptionNames<PlacePolicies> = { sensitiveChanges: true };

/** Rejects timeouts of steps that no timer keeps. */
export function assertStepTimes(timeouts: Timeouts): void {
  for (const name of Object.keys(STEP_TIMEOUTS)) {
    assertTimeout(`timeouts.${name}`, Reflect.get(timeouts, name));
  }
}

/**
 * Returns a place's policy for sensitive changes.
 *
 * @throws UsageError for an invalid policy, and for a member of a group that only runs have
 */
export function policyOf({
  policies,
  timeouts,
}: Pick<PlaceOptions, 'policies' | 'timeouts'>): SensitiveChangesPolicy {
  if (timeouts !== undefined) {
    assertKnownOptions(timeouts, { of: '`timeouts` of a place', names: STEP_TIMEOUTS });
    assertStepTimes(timeouts);
  }
  if (policies !== undefined) assertKnownOptions(policies, { of: '`policies` of a place', names: POLICIES });
  const sensitiveChanges = policies?.sensitiveChanges;
  assertSensitiveChangesPolicy(sensitiveChanges);
  return sensitiveChanges ?? DEFAULT_SENSITIVE_CHANGES_POLICY;
}

/**
 * Refuses invalid hooks.
 *
 * @throws UsageError
 */
export function assertHooks(hooks: SandboxHooks | undefined): void {
  const lists: Readonly<Record<string, readonly HostHook[] | undefined>> = {
    'host.onWorktreeReady': hooks?.host?.onWorktreeReady,
    'host.onSandboxReady': hooks?.host?.onSandboxReady,
    'sandbox.onSandboxReady': hooks?.sandbox?.onSandboxReady,
  };
  for (const [name, list] of Object.entries(lists)) {
    if (list === undefined) continue;
    if (!Array.isArray(list)) {
      throw new UsageError(
        `Expected \`hooks.${name}\` to be an array, got ${describeValue(list)}. Write \`[{ command: 'npm ci' }]\`.`,
      );
    }
    list.forEach((hook: HostHook, index) => assertHook(`hooks.${name}[${index}]`, hook));
  }
}

function assertHook(name: string, hook: HostHook): void {
  if (typeof hook.command !== 'string' || hook.command === '') {
    throw new UsageError(
      `Expected \`${name}.command\` to be a shell command, got ${describeValue(hook.command)}.`,
    );
  }
  assertTimeout(`${name}.timeoutMs`, hook.timeoutMs);
}

/**
 * Refuses an invalid sandbox provider.
 *
 * @throws UsageError
 */
export function assertSandboxProvider(sandbox: unknown): void {
  if (
    typeof sandbox === 'object' &&
    sandbox !== null &&
    'create' in sandbox &&
    typeof sandbox.create === 'function'
  ) {
    if ('env' in sandbox) assertEnv('sandbox.env', sandbox.env);
    return;
  }
  throw new UsageError(
    `Expected \`sandbox\` to be a sandbox provider, got ${describeValue(sandbox)}. Pass \`bubblewrap()\`, \`docker()\` or \`podman()\`. With \`noSandbox()\`, the agent has all your permissions.`,
  );
}

/**
 * Refuses an invalid agent provider.
 *
 * @throws UsageError
 */
export function assertAgentProvider(agent: unknown): void {
  const isProvider = typeof agent === 'object' && agent !== null && 'buildPrintCommand' in agent;
  if (isProvider && typeof agent.buildPrintCommand === 'function') {
    if ('env' in agent) assertEnv('agent.env', agent.env);
    return;
  }
  throw new UsageError(
    `Expected \`agent\` to be an agent provider, got ${describeValue(agent)}. Pass \`claudeCode()\`, \`codex()\` or \`command()\`.`,
  );
}

/** Rejects an invalid folder or signal. */
export function assertWhere({ cwd, signal }: Pick<PlaceOptions, 'cwd' | 'signal'>): void {
  if (cwd !== undefined) assertKind(cwd, 'a string', 'cwd', 'Pass the path of a folder, or leave it out.');
  assertSignal(signal);
}

/** Emits a warning outside of a run. */
export function warnOf({ onWarning }: Pick<PlaceOptions, 'onWarning'>): (message: string) => void {
  return onWarning ?? ((message) => process.emitWarning(toTerminalLines(message), 'TruecastWarning'));
}

/** The call that refuses, and the one that takes the option instead. */
export interface SettledOptions {
  /** The call, in messages. */
  readonly of: string;
  readonly names: readonly string[];
  /** Where the options belong, in messages. */
  readonly by: string;
}

/** `sandbox.run()`. */
export const SETTLED_BY_SANDBOX: SettledOptions = {
  of: '`sandbox.run()`',
  names: ['sandbox', 'cwd', 'branchStrategy', 'readOnly', 'copyToWorktree', 'hooks'],
  by: '`createSandbox()`',
};

/** `worktree.run()`. */
export const SETTLED_BY_WORKTREE: SettledOptions = {
  of: '`worktree.run()`',
  names: ['cwd', 'branchStrategy', 'readOnly', 'copyToWorktree'],
  by: '`createWorktree()`',
};

/** `createSandbox()` has another name for the branch. */
const OTHER_NAMES: Readonly<Record<string, string>> = { branchStrategy: 'branch' };

/**
 * Refuses an option that would be ignored. One that is `undefined` is not set.
 *
 * @throws UsageError that names the option and where it belongs
 */
export function assertUnsettled(options: unknown, { of, names, by }: SettledOptions): void {
  if (typeof options !== 'object' || options === null) return;
  const settled = names.find((name) => Reflect.get(options, name) !== undefined) ?? settledTimeout(options);
  if (settled === undefined) return;
  const other = by === SETTLED_BY_SANDBOX.by ? OTHER_NAMES[settled] : undefined;
  const next = other === undefined ? `Set it in ${by}` : `Set \`${other}\` in ${by}`;
  throw new UsageError(
    `Expected no \`${settled}\` for ${of}, which the call of ${by} has determined. ${next}, and remove it here.`,
  );
}

/** Each run sets its own time limits. Those of the steps belong to the place. */
function settledTimeout({ timeouts }: { readonly timeouts?: unknown }): string | undefined {
  if (typeof timeouts !== 'object' || timeouts === null) return undefined;
  const name = Object.keys(timeouts).find((each) => Object.hasOwn(STEP_TIMEOUTS, each));
  return name === undefined ? undefined : `timeouts.${name}`;
}

/** What a kept place determines for its runs. */
export interface PlaceOfRun extends Pick<RunOptions, 'cwd' | 'branchStrategy'> {
  readonly timeouts: Required<Timeouts>;
  readonly sensitiveChanges: SensitiveChangesPolicy;
}

/** Returns the options of a run in a kept place. Its own policies and timeouts take precedence. */
export function inPlace<TOptions extends Pick<RunOptions, 'timeouts' | 'policies'>>(
  options: TOptions,
  { timeouts, sensitiveChanges, ...settled }: PlaceOfRun,
): TOptions & Pick<RunOptions, 'cwd' | 'branchStrategy'> {
  // From JavaScript, the options themselves can be missing.
  const own = options as Partial<TOptions> | undefined;
  return {
    ...options,
    ...settled,
    timeouts: { ...timeouts, ...own?.timeouts },
    policies: { sensitiveChanges, ...own?.policies },
  };
}
