/**
 * SSE stream of a chat for one client: every committed event once, and hints in between.
 *
 * Hints and timers only wake the loop. Events are read from the rows.
 */
import type { ServerParts } from '../server-parts.ts';
import type { Chat } from '../../state/rows/chat-records.ts';
import type { StreamCursor } from './cursor.ts';
import { readEvents, type StreamedChat } from './durable-events.ts';
import type { EventSink } from './event-sink.ts';
import { LivePreview, type PartialsForm } from './live-preview.ts';
import { openEventStream, untilItIsBack, type StreamLife } from './stream-loop.ts';

export interface ChatStreamOptions extends StreamedChat, StreamLife {
  readonly cursor: StreamCursor;
  readonly partials: PartialsForm;
}

export function openChatStream(parts: ServerParts, options: ChatStreamOptions): ReadableStream<Uint8Array> {
  const { machine, live } = parts;
  const preview = new LivePreview(options.partials);
  let told: Told = { cursor: options.cursor };
  return openEventStream(parts, options, {
    listen: (ring) => [
      machine.onChat(options.chatId, () => ring('rows')),
      live.subscribe(options.chatId, (batch) => {
        preview.add(batch);
        ring('hints');
      }),
    ],
    tell: async (rung, sink) => {
      if (rung.has('rows')) told = await tellRows(machine, options, told, sink);
      for (const hint of preview.take(told.chat)) await sink.write(hint);
    },
  });
}

/** Position of a stream, and the last sent state of the chat. */
interface Told {
  readonly cursor: StreamCursor;
  readonly chat?: Chat;
}

/** Reads the next page only when the client has read the last one. */
async function tellRows(
  machine: ServerParts['machine'],
  options: ChatStreamOptions,
  told: Told,
  sink: EventSink,
): Promise<Told> {
  let last = told;
  for (;;) {
    const batch = await readEvents(machine, options, last.cursor).catch(untilItIsBack);
    if (batch === 'away') return last;
    if (batch === undefined) {
      const chat = last.chat ?? (await machine.readChat(options).catch(untilItIsBack));
      return chat === 'away' ? last : { ...last, chat };
    }
    for (const { event, id } of batch.events) {
      if (!(await sink.write(event, id))) break;
    }
    last = batch;
    if (!batch.isCut || sink.closed.aborted) return last;
  }
}
