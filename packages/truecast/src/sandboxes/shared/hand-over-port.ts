/** Hand-over methods of a local sandbox's handle. */
import type { GuestGit } from '../../guest-git/guest-git.ts';
import type { OpenGuestStream } from '../../guest-git/receive/guest-stream.ts';
import type { RunningCommands } from '../../process/running-commands.ts';
import type { OwnGitHandle } from '../../ports/own-git.ts';

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
