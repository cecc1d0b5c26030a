/** Ledger readers: page by page to the end, and live from there. */
import type { EventPage, EventRows } from './event-rows.ts';
import type { LedgerEvent } from './ledger-event.ts';

const PAGE_EVENTS = 500;

export interface TailOptions {
  readonly runId?: string;
  readonly signal?: AbortSignal;
}

// Yields the events that exist now, oldest first.
export async function* pagesOf(
  rows: EventRows,
  filter: Pick<EventPage, 'runId' | 'kinds'>,
): AsyncGenerator<LedgerEvent, void> {
  for (let afterOffset = 0, isEnd = false; !isEnd;) {
    const page = await rows.read({ ...filter, afterOffset, limit: PAGE_EVENTS });
    yield* page;
    afterOffset = page.at(-1)?.offset ?? afterOffset;
    isEnd = page.length < PAGE_EVENTS;
  }
}

// Yields every event after `fromOffset`, and future ones.
export async function* tailOf(
  rows: EventRows,
  fromOffset: number,
  { runId, signal }: TailOptions,
): AsyncGenerator<LedgerEvent, void> {
  const bell = new Bell();
  const isOver = (): boolean => signal?.aborted === true;
  // Subscribes before the first read, so that an append between a read and the wait is not missed.
  const stopListening = rows.onAppend(() => bell.ring());
  const onAbort = (): void => bell.ring();
  signal?.addEventListener('abort', onAbort);
  try {
    let afterOffset = fromOffset;
    while (!isOver()) {
      bell.reset();
      const page = await rows.read({
        afterOffset,
        limit: PAGE_EVENTS,
        ...(runId !== undefined && { runId }),
      });
      for (const event of page) {
        if (isOver()) return;
        afterOffset = event.offset;
        yield event;
        if (runId !== undefined && event.kind === 'run.finished') return;
      }
      if (page.length < PAGE_EVENTS) await bell.rung();
    }
  } finally {
    stopListening();
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Manual-reset event: `ring()` wakes the waiter. Until `reset()`, `rung()` returns at once. */
class Bell {
  #hasRung = false;
  #wake: () => void = () => undefined;

  ring(): void {
    this.#hasRung = true;
    this.#wake();
  }

  reset(): void {
    this.#hasRung = false;
  }

  async rung(): Promise<void> {
    if (this.#hasRung) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
