/** Owns which branch strategies a sandbox can have, and which one it has unless told. Pure. */
import { UsageError } from '../../errors/usage-error.ts';
import type { BranchStrategy } from '../git/branch-strategy.ts';
import type { SandboxProvider } from './sandbox-provider.ts';

/** Where commits go unless the caller says: the caller's own checkout, but from another machine to a branch that is merged. */
export function defaultBranchStrategy(sandbox: SandboxProvider): BranchStrategy {
  return { type: sandbox.tag === 'isolated' ? 'merge-to-head' : 'head' };
}

/**
 * Refuses the caller's own checkout for a sandbox that does not see it.
 *
 * @throws UsageError
 */
export function assertStrategyFits(strategy: BranchStrategy, sandbox: SandboxProvider): void {
  if (sandbox.tag !== 'isolated' || strategy.type !== 'head') return;
  throw new UsageError(
    `The branch strategy \`head\` cannot be used with the sandbox \`${sandbox.name}\`: it shares no files with this host. Use \`merge-to-head\` or \`branch\`.`,
    { code: 'unsupported' },
  );
}
