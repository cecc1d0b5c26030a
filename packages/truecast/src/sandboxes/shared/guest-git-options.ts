/** A guest's git store: its options from those of its sandbox, and the hand-over methods of a handle. */
import type { OpenGuestGitOptions, GuestGit } from '../../guest-git/guest-git.ts';
import type { OwnGitCreateOptions, OwnGitHandle } from '../../ports/own-git.ts';
import type { EgressPolicy } from '../../ports/sandbox-provider.ts';
import type { OpenGuestStream } from '../../guest-git/receive/read-stream.ts';
import type { RunningCommands } from '../../process/running-commands.ts';

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
  { git, recoveredHome }: OwnGitCreateOptions,
  options: TOptions,
): TOptions {
  const isRecovery = git?.recoveredStore !== undefined || recoveredHome !== undefined;
  return isRecovery ? { ...options, egress: 'none' } : options;
}

/** Returns the methods, or an empty object without a git store. */
export function handOverPort(
  guestGit: GuestGit | undefined,
  commands: RunningCommands,
  openStream: OpenGuestStream,
): Pick<OwnGitHandle, 'handOver' | 'syncOut'> {
  if (guestGit === undefined) return {};
  const handOver = (): ReturnType<GuestGit['handOver']> => commands.run(() => guestGit.handOver(openStream));
  return { handOver, syncOut: async () => (await handOver()).warnings };
}
