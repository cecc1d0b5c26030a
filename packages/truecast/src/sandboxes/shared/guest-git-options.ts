/** Options of a guest's git store, from those of its sandbox. */
import type { OpenGuestGitOptions } from '../../guest-git/guest-git.ts';
import type { OwnGitCreateOptions } from '../../ports/own-git.ts';
import type { EgressPolicy } from '../../ports/sandbox-provider.ts';

const TIMEOUT_MS = 60_000;

/**
 * Returns the options, or undefined for a worktree without git. `guestUid` is the guest's user id
 * inside.
 */
export function guestGitOptions(
  { worktreePath, git, signal }: OwnGitCreateOptions,
  guestUid: number,
): OpenGuestGitOptions | undefined {
  if (git === undefined) return undefined;
  const { onHandOverStep: onStep, ...own } = git;
  const hasOtherOwner = guestUid !== process.getuid?.();
  return { ...own, worktreePath, onStep, hasOtherOwner, timeoutMs: TIMEOUT_MS, signal };
}

/**
 * Returns `options` for a sandbox. A sandbox that only recovers the work of an earlier run needs no
 * network.
 */
export function withoutNetwork<TOptions extends { readonly egress?: EgressPolicy }>(
  { git }: OwnGitCreateOptions,
  options: TOptions,
): TOptions {
  return git?.recoveredStore === undefined ? options : { ...options, egress: 'none' };
}
