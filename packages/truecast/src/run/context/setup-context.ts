/** Context to open a worktree and a sandbox, for every kind of place. */
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { GitCallOptions } from '../../git/command/git.ts';
import type { DecidedEgress } from '../options/decide-egress.ts';
import type { SensitiveChangesPolicy } from '../review/sensitive-changes-policy.ts';
import type { Timeouts } from '../options/run-bounds.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import type { SandboxHooks } from '../options/hooks.ts';

/** Complete options of a place where agents work. */
export interface SetupOptions {
  readonly branchStrategy: BranchStrategy;
  readonly hooks?: SandboxHooks | undefined;
  readonly copyToWorktree?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly timeouts: Required<Timeouts>;
  readonly sensitiveChanges: SensitiveChangesPolicy;
  readonly editablePaths?: readonly string[] | undefined;
  /** True if the place's agents only read. @default false */
  readonly isReadOnly?: boolean | undefined;
}

/** Context of a place that is being opened. */
export interface SetupContext {
  readonly options: SetupOptions;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/** Context of a place with a sandbox that is being opened. */
export interface SandboxSetupContext extends SetupContext {
  readonly options: SetupOptions & { readonly sandbox: SandboxProvider };
}

/** How a sandbox was started, so that another one like it can be started. */
export interface SandboxOpening {
  readonly context: SandboxSetupContext;
  readonly options: DecidedEgress & {
    readonly env: Readonly<Record<string, string>>;
    readonly readonlyPaths: readonly string[];
  };
}

/** Git options while a place is opened. */
export function gitCallOf({ options, signal }: SetupContext): GitCallOptions {
  return { timeoutMs: options.timeouts.gitSetupMs, signal };
}
