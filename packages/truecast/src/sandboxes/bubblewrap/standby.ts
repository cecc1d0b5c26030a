/**
 * Standby sandbox of the hand-over: started while the agent works. Its script can then start
 * immediately when the agent ends.
 *
 * start -> `ready` -> take(script) -> used up; close -> killed
 */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { GuestStream } from '../../guest-git/receive/read-stream.ts';
import { type SpawnedStream, spawnStream } from '../../process/spawn-stream.ts';
import type { PreparedBubblewrap } from './prepare-bubblewrap.ts';
import { bubblewrapArguments, handOverArguments } from './arguments.ts';
import { buildCall } from './command.ts';
import { limitsScript } from './limits.ts';

interface Standby {
  /** Starts a waiting sandbox, if none waits. */
  start(): void;
  /**
   * Runs a script in the waiting sandbox. Undefined if none waits, or if it has failed. The caller
   * then starts one.
   */
  take(script: string): Promise<GuestStream | undefined>;
  /** Kills the waiting sandbox, and waits for its end. */
  close(): Promise<void>;
}

/** A sandbox starts in about 30 ms, and in less than this on a busy machine. */
const MAX_START_MS = 10_000;

/** Creates the standby. Nothing is started yet. */
export function createStandby(prepared: PreparedBubblewrap): Standby {
  let waiting: Promise<SpawnedStream | undefined> | undefined;
  let isClosed = false;
  const takeWaiting = async (): Promise<SpawnedStream | undefined> => {
    const taken = waiting;
    waiting = undefined;
    return taken;
  };
  return {
    start() {
      if (isClosed || prepared.layout.guestGit === undefined) return;
      waiting ??= startWaitingSandbox(prepared).catch(() => undefined);
    },
    async take(script) {
      const stream = await takeWaiting();
      if (stream === undefined) return undefined;
      if (await isReady(stream.stdout)) {
        // Grouped as one command, so that the shell has read all of it before a program can read
        // its stdin.
        stream.send(`{ ${script}\n} </dev/null\n`);
        return stream;
      }
      stream.kill();
      return undefined;
    },
    async close() {
      isClosed = true;
      const stream = await takeWaiting();
      stream?.kill();
      await stream?.ended;
    },
  };
}

/** Waits for the line that a waiting sandbox prints. False if it has ended, for example without git. */
async function isReady(stdout: Readable): Promise<boolean> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(MAX_START_MS)]);
  try {
    for (;;) {
      const line: unknown = stdout.read(READY.length);
      if (Buffer.isBuffer(line)) return line.toString('latin1') === READY;
      if (stdout.readableEnded || stdout.destroyed) return false;
      // A stream that ended before it was read reports only its end.
      await Promise.race([once(stdout, 'readable', { signal }), once(stdout, 'end', { signal })]);
    }
  } catch {
    return false;
  } finally {
    done.abort();
  }
}

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
const READY = 'ready\n';

/**
 * Without git the script would report an unchanged store. The shell reads the script itself,
 * because the start of another program would delay the end of a turn. The script is not read with
 * `read`, which takes one system call per byte. Shells read commands in blocks.
 */
const WAIT = 'command -v git >/dev/null || exit 1; echo ready\n';

/** Starts a sandbox that sees only the git store, and waits for a script on its stdin. */
function startWaitingSandbox(prepared: PreparedBubblewrap): Promise<SpawnedStream> {
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
