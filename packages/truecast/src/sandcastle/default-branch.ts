/** Sandcastle's default destination of commits. Pure. */
import type { BranchStrategy } from '../git/command/branch-strategy.ts';
import type { SandboxProvider } from '../ports/sandbox-provider.ts';

/** Options that name a destination of commits, or leave it out. */
interface Asked {
  readonly sandbox?: SandboxProvider;
  readonly branchStrategy?: BranchStrategy;
}

/**
 * Fills in the caller's checkout, or for a sandbox on another machine a branch that is merged. What
 * is no object of options stays as it is, and is refused later.
 */
export function withDefaultBranch<TOptions extends Asked>(options: TOptions): TOptions {
  if (typeof options !== 'object' || options === null || options.branchStrategy !== undefined) return options;
  // From JavaScript, the sandbox can be anything.
  const { sandbox }: { readonly sandbox?: { readonly tag?: unknown } | null } = options;
  return { ...options, branchStrategy: { type: sandbox?.tag === 'isolated' ? 'merge-to-head' : 'head' } };
}
