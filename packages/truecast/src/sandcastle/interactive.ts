/** `interactive()` of `truecast/sandcastle`, with Sandcastle's defaults. */
import { interactive as interactWithGroups } from '../run/interactive.ts';
import type {
  InteractiveOptions as GroupedOptions,
  InteractiveResult,
} from '../run/options/worktree-options.ts';
import { withDefaultBranch, toGroups } from './to-groups.ts';
import type { FlatMembers, FlatPlacePolicy } from './flat-options.ts';

/** Options of `interactive()`. */
export interface FlatInteractiveOptions
  extends Omit<GroupedOptions, 'policies'>, FlatPlacePolicy, Pick<FlatMembers, 'editablePaths'> {}

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
export async function interactFlat(options: FlatInteractiveOptions): Promise<InteractiveResult> {
  return interactWithGroups(toGroups(withDefaultBranch(options)));
}
