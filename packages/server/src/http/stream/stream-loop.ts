/**
 * Loop of one event stream: wakes at changes, polls and pings, until its client disconnects or its
 * token becomes invalid.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { TOKEN_CHANNEL } from '../../tokens/token-cache.ts';
import type { ServerParts } from '../server-parts.ts';
import { createEventSink, type EventSink } from './event-sink.ts';

export interface StreamLife {
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  /** Returns true while the token can read the stream. */
  readonly isAllowed: () => Promise<boolean>;
  readonly onEnd: () => void;
}

export interface StreamWork {
  /** Subscribes to hints. Returns the functions that unsubscribe. */
  readonly listen: (ring: (reason: 'rows' | 'hints') => void) => readonly (() => void)[];
  /** Sends the due events. With `rows`, the rows can have changed. */
  readonly tell: (rung: ReadonlySet<WakeReason>, sink: EventSink) => Promise<void>;
}

/** Reason why the loop woke. A `poll` implies `rows`. */
export type WakeReason = 'rows' | 'hints' | 'poll' | 'ping' | 'closed';

/**
 * Opens a stream. It ends when its signal aborts, its chat is deleted, the token is revoked or
 * expires, or the client reads too slowly.
 */
export function openEventStream(
  parts: Pick<ServerParts, 'store' | 'streamTimes' | 'onFault'>,
  life: StreamLife,
  work: StreamWork,
): ReadableStream<Uint8Array> {
  const sink = createEventSink(parts.streamTimes.slowMs);
  const abort = (): void => sink.end();
  life.signal.addEventListener('abort', abort, { once: true });
  if (life.signal.aborted) sink.end();
  void runLoop(parts, life, work, sink)
    .catch((error: unknown) => {
      const isGone = ChatStateError.isInstance(error) && error.code === 'chat-not-found';
      if (!isGone) parts.onFault(error, 'stream');
    })
    .finally(() => {
      sink.end();
      life.signal.removeEventListener('abort', abort);
      life.onEnd();
    });
  return sink.stream;
}

async function runLoop(
  { store, streamTimes }: Pick<ServerParts, 'store' | 'streamTimes'>,
  { isAllowed }: StreamLife,
  work: StreamWork,
  sink: EventSink,
): Promise<void> {
  const alarm = new Alarm();
  // A revoked token must not keep its stream until the next ping.
  const stopTokens = store.notifications.subscribe(TOKEN_CHANNEL, () => alarm.ring('ping'));
  const stops = [stopTokens, ...work.listen((reason) => alarm.ring(reason))];
  const poll = (): void => {
    alarm.ring('poll');
    alarm.ring('rows');
  };
  sink.closed.addEventListener('abort', () => alarm.ring('closed'), { once: true });
  const timers = [
    setInterval(() => alarm.ring('ping'), streamTimes.pingMs),
    setInterval(poll, streamTimes.pollMs),
  ];
  try {
    poll();
    // Confirms the connection to the client at once.
    await sink.comment('open');
    while (!sink.closed.aborted) {
      const rung = await alarm.wait();
      await work.tell(rung, sink);
      if (rung.has('ping') && (!(await isAllowed()) || !(await sink.comment('ping')))) return;
    }
  } finally {
    for (const timer of timers) clearInterval(timer);
    for (const stop of stops) stop();
  }
}

/**
 * Returns `away` for an unreachable database, which does not end a stream: missed events are sent
 * after the next successful read.
 */
export function untilItIsBack(error: unknown): 'away' {
  if (isAway(error)) return 'away';
  throw error;
}

/** Returns true if the database is unreachable. */
export function isAway(error: unknown): boolean {
  if (RequestRefusedError.isInstance(error)) return error.code === 'identity-unavailable';
  return StoreError.isInstance(error) && (error.code === 'connection-lost' || error.code === 'busy');
}

/** Auto-reset event for one waiter. Signals without a waiter are kept. */
class Alarm {
  #rung = new Set<WakeReason>();
  #waiter: (() => void) | undefined;

  ring(reason: WakeReason): void {
    this.#rung.add(reason);
    this.#waiter?.();
  }

  async wait(): Promise<ReadonlySet<WakeReason>> {
    if (this.#rung.size === 0) {
      await new Promise<void>((resolve) => {
        this.#waiter = resolve;
      });
      this.#waiter = undefined;
    }
    const rung = this.#rung;
    this.#rung = new Set();
    return rung;
  }
}
