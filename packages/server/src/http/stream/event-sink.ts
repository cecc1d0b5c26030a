/**
 * SSE writer of one stream: ordered events and comments, with backpressure and a slow-client
 * timeout.
 */
/** An event. Its name is its type. */
export interface NamedEvent {
  readonly type: string;
}

export interface EventSink {
  readonly stream: ReadableStream<Uint8Array>;
  /** Aborts when the client no longer reads. */
  readonly closed: AbortSignal;
  /** Resolves when there is room. Returns false if the client was too slow and the stream ended. */
  write(event: NamedEvent, id?: string): Promise<boolean>;
  comment(text: string): Promise<boolean>;
  end(): void;
}

/** Maximum unread bytes. */
const MAX_WAITING_BYTES = 256 * 1024;

/** Creates a sink that waits `slowMs` for a client to read. */
export function createEventSink(slowMs: number): EventSink {
  const closing = new AbortController();
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let drained: (() => void) | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
      },
      pull: () => drained?.(),
      cancel: () => closing.abort(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
  );
  const end = (): void => {
    if (closing.signal.aborted) return;
    closing.abort();
    controller?.close();
  };
  const send = async (text: string): Promise<boolean> => {
    if (closing.signal.aborted || controller === undefined) return false;
    controller.enqueue(encoder.encode(text));
    if ((controller.desiredSize ?? 0) > 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), slowMs);
    const leave = (): void => resolve(false);
    drained = () => resolve(true);
    closing.signal.addEventListener('abort', leave, { once: true });
    const isRead = await promise;
    clearTimeout(timer);
    closing.signal.removeEventListener('abort', leave);
    drained = undefined;
    if (!isRead) end();
    return isRead;
  };
  return {
    stream,
    closed: closing.signal,
    write: (event, id) => send(formatEvent(event, id)),
    comment: (text) => send(`: ${text}\n\n`),
    end,
  };
}

/** JSON contains no line breaks, so one data line is enough. */
function formatEvent(event: NamedEvent, id: string | undefined): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event.type}\n${idLine}data: ${JSON.stringify(event)}\n\n`;
}
