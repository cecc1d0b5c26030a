/** Owns what a caller may ask of a place that outlives its runs, with its defaults and refusals; runs before anything is created. */
import { describeValue } from '../../errors/describe-value.ts';
import { UsageError } from '../../errors/usage-error.ts';
import type { AgentProvider } from '../agents/agent-provider.ts';
import type { MergeToHeadBranchStrategy, NamedBranchStrategy } from '../git/branch-strategy.ts';
import type { Timeouts } from '../run-options.ts';
import type { SandboxProvider } from '../sandboxes/sandbox-provider.ts';
import type { HostHook, SandboxHooks } from './hooks.ts';

/** What every place that outlives its runs takes. */
export interface PlaceOptions {
  /** Host repository, or a folder in it. @default `process.cwd()` */
  readonly cwd?: string;
  /** Files of the repository that git does not carry into the worktree, relative to it. */
  readonly copyToWorktree?: readonly string[];
  /** Commands around the start; without a sandbox, only `host.onWorktreeReady` runs. */
  readonly hooks?: SandboxHooks;
  readonly timeouts?: Timeouts;
  /** Ends the opening; of a place that is open, close it. */
  readonly signal?: AbortSignal;
  /** Is told what is worth knowing and no failure. @default `process.emitWarning` */
  readonly onWarning?: (message: string) => void;
}

/** A worktree that outlives its runs is never the caller's own checkout. */
export type WorktreeBranchStrategy = MergeToHeadBranchStrategy | NamedBranchStrategy;

/** What is asked of the sandbox of a place. */
export interface PlaceSandboxOptions {
  readonly sandbox: SandboxProvider;
  /**
   * Agents that will work here: their programs are shown inside, and the model of the first can be reached through `egress: "model"`.
   * Needless where the sandbox has the programs of its own, as an image does. @default []
   */
  readonly agents?: readonly AgentProvider[];
  /** Adds to the environment of every command inside; wins over `.truecast/.env`. @default {} */
  readonly env?: Readonly<Record<string, string>>;
}

/** Completes the bounds on the steps around an agent. */
export function completeTimeouts(timeouts: Timeouts | undefined): Required<Timeouts> {
  return {
    copyToWorktreeMs: timeouts?.copyToWorktreeMs ?? 60_000,
    gitSetupMs: timeouts?.gitSetupMs ?? 10_000,
    commitCollectionMs: timeouts?.commitCollectionMs ?? 30_000,
    mergeToHostMs: timeouts?.mergeToHostMs ?? 30_000,
  };
}

/**
 * Refuses hooks that are no hooks.
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
  const { timeoutMs } = hook;
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0)) return;
  throw new UsageError(
    `Expected \`${name}.timeoutMs\` to be a positive number of milliseconds, got ${describeValue(timeoutMs)}.`,
  );
}

/**
 * Refuses what is no sandbox provider.
 *
 * @throws UsageError
 */
export function assertSandboxProvider(sandbox: unknown): void {
  if (
    typeof sandbox === 'object' &&
    sandbox !== null &&
    'create' in sandbox &&
    typeof sandbox.create === 'function'
  )
    return;
  throw new UsageError(
    `Expected \`sandbox\` to be a sandbox provider, got ${describeValue(sandbox)}. Pass \`bubblewrap()\` or \`noSandbox()\`.`,
  );
}

/**
 * Refuses what is no agent provider.
 *
 * @throws UsageError
 */
export function assertAgentProvider(agent: unknown): void {
  const isProvider = typeof agent === 'object' && agent !== null && 'buildPrintCommand' in agent;
  if (isProvider && typeof agent.buildPrintCommand === 'function') return;
  throw new UsageError(
    `Expected \`agent\` to be an agent provider, got ${describeValue(agent)}. Pass \`claudeCode()\`, \`codex()\` or \`command()\`.`,
  );
}

/** Tells a warning where there is no run to tell it. */
export function warnOf({ onWarning }: Pick<PlaceOptions, 'onWarning'>): (message: string) => void {
  return onWarning ?? ((message) => process.emitWarning(message, 'TruecastWarning'));
}
