/** Owns reading the ledger: page by page to its end, and on from there as events arrive. */
import type { EventPage, EventRows } from './event-rows.ts';
import type { LedgerEvent } from './ledger-event.ts';

const PAGE_EVENTS = 500;

/** What `tail()` follows, and how long. */
export interface TailOptions {
  readonly runId?: string;
  readonly signal?: AbortSignal;
}

// The events that stand on the ledger now, oldest first.
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

// Every event after `fromOffset`, and those to come.
export async function* tailOf(
  rows: EventRows,
  fromOffset: number,
  { runId, signal }: TailOptions,
): AsyncGenerator<LedgerEvent, void> {
  const bell = new Bell();
  const isOver = (): boolean => signal?.aborted === true;
  // Listening begins before the first read: what is appended between a read and the wait rings the bell.
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

/** Rings once until it is reset; whoever waits is woken, whoever comes later does not wait. */
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
