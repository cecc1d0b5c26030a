/** Streaming script in a bubblewrap sandbox: its stdout is read as bytes. */
import { spawnStream, type SpawnedStream } from '../../process/spawn-stream.ts';
import type { GuestStream } from '../../guest-git/receive/read-stream.ts';
import { bubblewrapArguments, handOverArguments } from './arguments.ts';
import { buildCall } from './command.ts';
import { limitsScript } from './limits.ts';
import type { PreparedBubblewrap } from './prepare-bubblewrap.ts';

/** Starts a script. It ends with bubblewrap, which ends with this process. */
export function streamFromBubblewrap(prepared: PreparedBubblewrap, script: string): Promise<GuestStream> {
  const { layout } = prepared;
  const call = buildCall(
    prepared,
    { type: 'line', line: script },
    {
      mounts: layout.mounts,
      layOut: (binds) => bubblewrapArguments(layout, layout.worktreePath, binds),
      flags: [],
      firstDescriptor: 3,
    },
  );
  return spawnStream(call);
}

/** Printed by a sandbox that waits for its script. */
export const READY = 'ready\n';

/**
 * Without git the script would report an unchanged store. The shell reads the script itself,
 * because the start of another program would delay the end of a turn. The script is not read with
 * `read`, which takes one system call per byte. Shells read commands in blocks.
 */
const WAIT = 'command -v git >/dev/null || exit 1; echo ready\n';

/** Starts a sandbox that sees only the git store, and waits for a script on its stdin. */
export function startWaitingSandbox(prepared: PreparedBubblewrap): Promise<SpawnedStream> {
  const { layout } = prepared;
  const call = buildCall(
    prepared,
    { type: 'stdin' },
    {
      isOffline: true,
      // The guest can replace them while this sandbox starts.
      mounts: [],
      layOut: () => handOverArguments(layout, layout.guestGit?.handOverBinds ?? []),
      flags: [],
      firstDescriptor: 3,
    },
  );
  return spawnStream({ ...call, stdin: `${limitsScript(layout.limits)}\n${WAIT}` });
}
