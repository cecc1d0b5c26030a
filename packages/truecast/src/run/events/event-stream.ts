/** Event stream from a run to its iterator, with bounded memory. */
import type { RunEvent, RunPromise } from './run-events.ts';

/**
 * Maximum number of buffered events for a reader that is slow or has not started. Beyond it, text,
 * thinking and element events are dropped and counted.
 */
const MAX_BUFFERED_EVENTS = 10_000;
/** The same limit in UTF-16 units of text: a program's output arrives in pieces of 64 KiB. */
const MAX_BUFFERED_CHARS = 1024 * 1024;

/** Accepts events from the run, and delivers them to one reader. */
export interface EventStream extends AsyncIterable<RunEvent> {
  push(event: RunEvent): void;
  /** True once a loop reads the events. */
  readonly isRead: boolean;
  /** Ends the stream. With an error, the reader's loop throws it after the last event. */
  end(failure?: { readonly error: unknown }): void;
}

export function createEventStream(): EventStream {
  const buffer: RunEvent[] = [];
  let bufferedChars = 0;
  let droppedCount = 0;
  let isEnded = false;
  let isRead = false;
  let failure: { readonly error: unknown } | undefined;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  return {
    get isRead() {
      return isRead;
    },
    push(event) {
      const isFull = buffer.length >= MAX_BUFFERED_EVENTS || bufferedChars >= MAX_BUFFERED_CHARS;
      if (isFull && isDroppable(event)) {
        droppedCount += 1;
        return;
      }
      if (droppedCount > 0 && !isFull) {
        buffer.push({
          type: 'dropped',
          count: droppedCount,
          timestamp: event.timestamp,
          iteration: event.iteration,
        });
        droppedCount = 0;
      }
      buffer.push(event);
      bufferedChars += 'text' in event ? (event.text?.length ?? 0) : 0;
      notify();
    },
    end(reason) {
      isEnded = true;
      failure = reason;
      notify();
    },
    async *[Symbol.asyncIterator]() {
      isRead = true;
      while (true) {
        bufferedChars = 0;
        // Removed in batches, because shifting one by one is quadratic on a full buffer.
        yield* buffer.splice(0);
        if (buffer.length > 0) continue;
        if (isEnded) break;
        await new Promise<void>((resolve) => (wake = resolve));
      }
      if (failure !== undefined) throw failure.error;
    },
  };
}

/**
 * Joins a result and the events before it. A caller that only iterates gets the failure from the
 * loop, not as an unhandled rejection.
 */
export function toRunPromise<TResult>(result: Promise<TResult>, events: EventStream): RunPromise<TResult> {
  return Object.assign(result, {
    [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
      result.catch(() => undefined);
      return events[Symbol.asyncIterator]();
    },
  });
}

function isDroppable(event: RunEvent): boolean {
  return ['text', 'thinking', 'raw', 'element'].includes(event.type);
}
