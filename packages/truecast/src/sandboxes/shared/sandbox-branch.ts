/** Branch strategies that a sandbox supports. Pure. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

/**
 * Rejects the strategy `head` for a sandbox that does not see the caller's checkout.
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
