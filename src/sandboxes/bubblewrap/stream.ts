/** Streaming script in a bubblewrap sandbox: its stdout is read as bytes. */
import { spawnStream } from '../../process/spawn-stream.ts';
import type { GuestStream } from '../../guest-git/receive/guest-stream.ts';
import { buildCall } from './command.ts';
import type { PreparedBubblewrap } from './prepare-bubblewrap.ts';

/** Starts a script. It ends with bubblewrap, which ends with this process. */
export function streamFromBubblewrap(prepared: PreparedBubblewrap, script: string): Promise<GuestStream> {
  const call = buildCall(prepared, ['/bin/sh', '-c', script], {
    cwd: prepared.layout.worktreePath,
    flags: [],
    firstDescriptor: 3,
  });
  return spawnStream(call);
}
