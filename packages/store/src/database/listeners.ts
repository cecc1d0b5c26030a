/** Publish/subscribe registry of a store, shared by both databases. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { NotificationListener, StoreWarning } from './store.ts';

/** Postgres limits a notification to less than 8,000 bytes. The difference is a reserve. */
const MAX_NOTICE_BYTES = 7_000;

/**
 * Encodes a notification as one string. It is the same on both databases, so both have the same
 * limits.
 */
export function encodeNotice(channel: string, payload: string): string {
  // JSON escapes NUL and lone surrogates.
  const notice = JSON.stringify([channel, payload]);
  const bytes = Buffer.byteLength(notice);
  if (bytes <= MAX_NOTICE_BYTES) return notice;
  throw new UsageError(
    `Expected channel and payload of a notification to be at most ${MAX_NOTICE_BYTES} bytes as JSON, got ${bytes} on ${describeValue(channel)}. Store the data, and send its key as the payload.`,
  );
}

export class Listeners {
  readonly #byChannel = new Map<string, Set<NotificationListener>>();
  readonly #warn: (warning: StoreWarning) => void;

  constructor(warn: (warning: StoreWarning) => void) {
    this.#warn = warn;
  }

  add(channel: string, listener: NotificationListener): () => void {
    // Wrapped, so that one function can listen twice.
    const entry: NotificationListener = (payload) => listener(payload);
    const listeners = this.#byChannel.get(channel) ?? new Set();
    this.#byChannel.set(channel, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#byChannel.get(channel) === listeners) this.#byChannel.delete(channel);
    };
  }

  tell(channel: string, payload: string): void {
    this.#call(channel, payload);
  }

  /** Notifies all listeners that notifications can have been lost. */
  tellMissed(): void {
    for (const channel of Array.from(this.#byChannel.keys())) this.#call(channel, undefined);
  }

  #call(channel: string, payload: string | undefined): void {
    for (const listener of Array.from(this.#byChannel.get(channel) ?? [])) {
      try {
        listener(payload);
      } catch (cause) {
        this.#warn({ message: `A listener on the channel \`${channel}\` threw an error`, cause });
      }
    }
  }
}
