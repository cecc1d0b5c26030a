/**
 * Receiver of a guest's stream: text up to a limit, then a pack that git unpacks in quarantine.
 *
 * unpack-objects starts, text ... `pack`, header: 0 objects: none
 *                                                1..99: unpack-objects   100 or more: index-pack
 */
import type { GuestStore } from '../store/guest-store.ts';
import type { FedGit } from './feed-git.ts';
import type { GuestState } from './guest-state.ts';
import { type GuestStream, readGuestStream, type StreamLimits } from './read-stream.ts';
import { StreamSink, type SinkLimits } from './stream-sink.ts';

export interface ReceiveLimits extends SinkLimits, StreamLimits {}

/** A stream and the command that unpacks it. */
export interface ReceivedStream {
  readonly stream: GuestStream;
  /** Command with `unpackArgs`, started in the empty quarantine. */
  readonly unpacking: FedGit;
}

/**
 * Reads a stream to its end. Its objects are then in the quarantine. Git has checked each one
 * (`--strict`).
 *
 * @throws SandboxError `sync` for a stream that exceeds a limit, is truncated, or contains an
 * invalid object; the signal's reason
 */
export async function receiveObjects(
  store: GuestStore,
  { stream, unpacking }: ReceivedStream,
  limits: ReceiveLimits,
): Promise<GuestState> {
  const sink = new StreamSink(store, unpacking, limits);
  try {
    return await readGuestStream(stream, sink, limits);
  } finally {
    sink.abandon();
  }
}
