/**
 * Streams of a hand-over that exit while the host works: ended before the sandbox's resources are
 * freed.
 */
import type { GuestStream } from './read-stream.ts';
import { inTime } from '../../process/bounded-waits.ts';

/** Registry of the streams of one sandbox. */
export interface EndingStreams {
  /** Registers a stream, so that the hand-over does not wait for its exit. */
  add(stream: GuestStream): GuestStream;
  /** Waits until all streams have exited. A stream that does not exit is killed. */
  end(): Promise<void>;
}

/**
 * A stream exits some milliseconds after its last byte. An immediate kill would leave dying
 * processes in the control group.
 */
const EXIT_MS = 1_000;

/** Creates the empty registry. */
export function createEndingStreams(exitMs: number = EXIT_MS): EndingStreams {
  const running = new Set<GuestStream>();
  return {
    add(stream) {
      running.add(stream);
      void stream.ended.then(() => running.delete(stream));
      return { ...stream, isEndedAtClose: true };
    },
    async end() {
      await Promise.all([...running].map((stream) => endOne(stream, exitMs)));
    },
  };
}

async function endOne(stream: GuestStream, exitMs: number): Promise<void> {
  await inTime<unknown>(stream.ended, exitMs, () => stream.kill());
  await stream.ended;
}
