/**
 * SSE stream of a chat for one client: every committed event once, with hints between.
 *
 * Hints and timers only wake the loop. Events are read from the rows.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { ServerParts } from '../server-parts.ts';
import type { Chat } from '../../state/rows/chat-records.ts';
import type { StreamCursor } from './cursor.ts';
import { readEvents, type StreamedChat } from './durable-events.ts';
import { createEventSink, type EventSink } from './event-sink.ts';
import { LivePreview, type PartialsForm } from './live-preview.ts';

/** Options of a stream. */
export interface ChatStreamOptions extends StreamedChat {
  readonly cursor: StreamCursor;
  readonly partials: PartialsForm;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  /** Returns true while the token can access the chat. */
  readonly isAllowed: () => Promise<boolean>;
  readonly onEnd: () => void;
}

/**
 * Opens the stream. It ends when its signal aborts, the chat is deleted, the token is revoked, or
 * the client reads too slowly.
 */
export function openChatStream(parts: ServerParts, options: ChatStreamOptions): ReadableStream<Uint8Array> {
  const sink = createEventSink(parts.streamTimes.slowMs);
  const abort = (): void => sink.end();
  options.signal.addEventListener('abort', abort, { once: true });
  if (options.signal.aborted) sink.end();
  void tell(parts, options, sink)
    .catch((error: unknown) => {
      const isGone = ChatStateError.isInstance(error) && error.code === 'chat-not-found';
      if (!isGone) parts.onFault(error, 'stream');
    })
    .finally(() => {
      sink.end();
      options.signal.removeEventListener('abort', abort);
      options.onEnd();
    });
  return sink.stream;
}

async function tell(
  { machine, live, streamTimes }: ServerParts,
  options: ChatStreamOptions,
  sink: EventSink,
): Promise<void> {
  const preview = new LivePreview(options.partials);
  const alarm = new Alarm();
  const stops = [
    machine.onChat(options.chatId, () => alarm.ring('rows')),
    live.subscribe(options.chatId, (batch) => {
      preview.add(batch);
      alarm.ring('hints');
    }),
  ];
  const wake = (): void => alarm.ring('closed');
  sink.closed.addEventListener('abort', wake, { once: true });
  const ping = setInterval(() => alarm.ring('ping'), streamTimes.pingMs);
  const poll = setInterval(() => alarm.ring('rows'), streamTimes.pollMs);
  try {
    let told: Told = { cursor: options.cursor };
    alarm.ring('rows');
    // Confirms the connection to the client at once.
    await sink.comment('open');
    while (!sink.closed.aborted) {
      const rung = await alarm.wait();
      if (rung.has('rows')) told = await tellRows(machine, options, told, sink);
      for (const hint of preview.take(told.chat)) await sink.write(hint);
      if (rung.has('ping') && (!(await options.isAllowed()) || !(await sink.comment('ping')))) return;
    }
  } finally {
    clearInterval(ping);
    clearInterval(poll);
    for (const stop of stops) stop();
  }
}

/** Position of a stream, and the last sent state of the chat. */
interface Told {
  readonly cursor: StreamCursor;
  readonly chat?: Chat;
}

async function tellRows(
  machine: ServerParts['machine'],
  options: ChatStreamOptions,
  told: Told,
  sink: EventSink,
): Promise<Told> {
  const batch = await readEvents(machine, options, told.cursor).catch(untilItIsBack);
  if (batch === 'away') return told;
  if (batch === undefined) {
    const chat = told.chat ?? (await machine.readChat(options).catch(untilItIsBack));
    return chat === 'away' ? told : { ...told, chat };
  }
  for (const { event, id } of batch.events) {
    if (!(await sink.write(event, id))) break;
  }
  return batch;
}

/**
 * An unreachable database does not end a stream: missed events are sent after the next successful
 * read.
 */
function untilItIsBack(error: unknown): 'away' {
  if (isAway(error)) return 'away';
  throw error;
}

/** Returns true if the database is unreachable. */
export function isAway(error: unknown): boolean {
  if (RequestRefusedError.isInstance(error)) return error.code === 'identity-unavailable';
  return StoreError.isInstance(error) && (error.code === 'connection-lost' || error.code === 'busy');
}

type Reason = 'rows' | 'hints' | 'ping' | 'closed';

/** Auto-reset event for one waiter. Signals without a waiter are kept. */
class Alarm {
  #rung = new Set<Reason>();
  #waiter: (() => void) | undefined;

  ring(reason: Reason): void {
    this.#rung.add(reason);
    this.#waiter?.();
  }

  async wait(): Promise<ReadonlySet<Reason>> {
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
