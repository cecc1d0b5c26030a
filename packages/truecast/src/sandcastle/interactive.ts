/** `interactive()` of `truecast/sandcastle`, with Sandcastle's defaults. */
import { interactive as interactOnNewBranch } from '../run/interactive.ts';
import type { InteractiveOptions, InteractiveResult } from '../run/options/worktree-options.ts';
import { withDefaultBranch } from './default-branch.ts';

/**
 * Hands the terminal to an agent like `interactive()` of `truecast`. Without a `branchStrategy`, the
 * agent works in your checkout, as in Sandcastle.
 *
 * @throws the errors of `interactive()` of `truecast`
 *
 * @example
 * ```ts
 * const { exitCode } = await interactive({ agent: claudeCode('claude-opus-4-8'), sandbox: docker() });
 * console.log(exitCode);
 * ```
 */
export async function interactive(options: InteractiveOptions): Promise<InteractiveResult> {
  return interactOnNewBranch(withDefaultBranch(options));
}
