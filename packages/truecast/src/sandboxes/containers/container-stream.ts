/** Script in a container with binary stdout. */
import { spawnStream } from '../../process/spawn-stream.ts';
import { hostEnvironment } from '../../support/search-path.ts';
import type { GuestStream } from '../../guest-git/receive/guest-stream.ts';
import {
  commandArguments,
  signalInside,
  type CommandTarget,
  type ContainerCommand,
} from './container-command.ts';

/**
 * Starts a script. Ending only the engine's client would leave it running, so it is also ended
 * inside.
 */
export function streamFromContainer(
  target: CommandTarget,
  script: string,
  { id, cwd }: ContainerCommand,
): Promise<GuestStream> {
  return spawnStream({
    file: target.engine,
    args: commandArguments(target, target.user, { id, cwd, command: script, isAgent: false }),
    env: hostEnvironment(),
    onKill: () => signalInside(target, target.user, id, 'KILL'),
  });
}
