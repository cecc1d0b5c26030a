/** Owns what opening a worktree and a sandbox needs to know, whoever opens them. */
import type { BranchStrategy } from '../git/branch-strategy.ts';
import type { GitCallOptions } from '../git/git.ts';
import type { Timeouts } from '../run-options.ts';
import type { SandboxProvider } from '../sandboxes/sandbox-provider.ts';
import type { SandboxHooks } from './hooks.ts';

/** The options of a place where agents work, complete. */
export interface SetupOptions {
  readonly branchStrategy: BranchStrategy;
  readonly hooks?: SandboxHooks | undefined;
  readonly copyToWorktree?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly timeouts: Required<Timeouts>;
}

/** A place that is being opened. */
export interface SetupContext {
  readonly options: SetupOptions;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/** A place with a sandbox that is being opened. */
export interface SandboxSetupContext extends SetupContext {
  readonly options: SetupOptions & { readonly sandbox: SandboxProvider };
}

/** How git is called while a place is opened. */
export function gitCallOf({ options, signal }: SetupContext): GitCallOptions {
  return { timeoutMs: options.timeouts.gitSetupMs, signal };
}
