/**
 * SSE stream of all changes of an owner for one client: chats and receipts in their current state.
 *
 * A commit names its chat, which is read by its id. At the start and at each poll, all changes since
 * the last poll are read, so a lost hint delays an event and loses none.
 */
import type { OwnerStreamEvent } from '../../contract/wire/owner-stream-wire.ts';
import type { OwnerChanges } from '../../state/lists/owner-changes.ts';
import type { ServerParts } from '../server-parts.ts';
import { toChatSummary, toRequestView } from '../views.ts';
import type { EventSink } from './event-sink.ts';
import { openEventStream, untilItIsBack, type StreamLife } from './stream-loop.ts';

/** Options of a stream. */
export interface OwnerStreamOptions extends StreamLife {
  readonly owner: string;
  /** Time of the last event of an earlier stream, in milliseconds since 1970. */
  readonly since?: number;
}

/**
 * Commits can become visible later than their time: a transaction takes time, and clocks of
 * processes differ. So each read begins this long before the last one.
 */
const OVERLAP_MS = 30_000;

/** More changed chats at once are not sent: the client reads its lists again. */
const MAX_CHATS = 500;

/** Delay of a hinted read. Commits of one turn become one read. */
const JOIN_MS = 50;

/** Opens the stream. */
export function openOwnerStream(parts: ServerParts, options: OwnerStreamOptions): ReadableStream<Uint8Array> {
  const feed = new OwnerFeed(parts, options);
  return openEventStream(parts, options, {
    listen: (ring) => {
      let joining: NodeJS.Timeout | undefined;
      const stop = parts.machine.onOwner(options.owner, (chatId) => {
        feed.hear(chatId);
        joining ??= setTimeout(() => {
          joining = undefined;
          ring('rows');
        }, JOIN_MS);
      });
      return [stop, () => clearTimeout(joining)];
    },
    tell: async (rung, sink) => {
      if (rung.has('poll')) feed.hear(undefined);
      if (rung.has('rows')) await feed.send(sink);
    },
  });
}

/** Reads the id of an event. Undefined for one that no event has. */
export function readOwnerCursor(text: string): number | undefined {
  const time = /^\d{1,15}$/u.test(text) ? Number(text) : Number.NaN;
  return time <= Date.now() + OVERLAP_MS ? time : undefined;
}

/** Unsent changes of one stream. */
class OwnerFeed {
  readonly #parts: ServerParts;
  readonly #owner: string;
  readonly #heard = new Set<string>();
  readonly #sent = new Map<string, Sent>();
  #isAllDue = true;
  /** All changes before it were sent, except those that became visible late. The id of each event. */
  #readMs: number;
  /** Undefined once `ready` was sent. */
  #ready: { readonly isResumed: boolean } | undefined;

  constructor(parts: ServerParts, { owner, since }: OwnerStreamOptions) {
    this.#parts = parts;
    this.#owner = owner;
    this.#readMs = since ?? Date.now();
    this.#ready = { isResumed: since !== undefined };
  }

  /** Notes a changed chat. Undefined: any chat can have changed. */
  hear(chatId: string | undefined): void {
    if (chatId === undefined || this.#heard.size >= MAX_CHATS) this.#isAllDue = true;
    else this.#heard.add(chatId);
  }

  /** Reads what is due and sends it. */
  async send(sink: EventSink): Promise<void> {
    const isAll = this.#isAllDue;
    const chatIds = [...this.#heard];
    if (!isAll && chatIds.length === 0) return;
    this.#isAllDue = false;
    this.#heard.clear();
    const startedMs = Date.now();
    const since = this.#readMs - OVERLAP_MS;
    const query = { owner: this.#owner, since, limit: MAX_CHATS, ...(!isAll && { chatIds }) };
    const changes = await this.#parts.machine.ownerChanges(query).catch(untilItIsBack);
    if (changes === 'away') {
      this.#isAllDue = true;
      return;
    }
    for (const event of this.#eventsOf(changes)) await sink.write(event, String(this.#readMs));
    if (!isAll) return;
    // Only now: a client that disconnects before resumes at the read before.
    this.#readMs = startedMs;
    for (const [key, { atMs }] of this.#sent) if (atMs < startedMs - OVERLAP_MS) this.#sent.delete(key);
  }

  *#eventsOf({ chats, deleted, requests, isCut }: OwnerChanges): Generator<OwnerStreamEvent> {
    const ready = isCut ? { isResumed: false } : this.#ready;
    this.#ready = undefined;
    if (ready !== undefined) yield { type: 'ready', is_resumed: ready.isResumed };
    if (isCut) return;
    for (const chat of chats)
      if (this.#isNew(chat.id, { version: chat.version, atMs: chat.updatedAt }))
        yield { type: 'chat', chat: toChatSummary(chat) };
    for (const { id, version, at } of deleted)
      if (this.#isNew(id, { version, atMs: at })) yield { type: 'chat_deleted', chat_id: id };
    for (const request of requests) {
      const { requestId, revision, createdAt, startedAt = createdAt, endedAt = startedAt } = request;
      if (this.#isNew(requestId, { version: revision, atMs: endedAt }))
        yield { type: 'receipt', receipt: toRequestView(request, false) };
    }
  }

  #isNew(id: string, state: Sent): boolean {
    const before = this.#sent.get(id);
    if (before !== undefined && before.version >= state.version) return false;
    this.#sent.set(id, state);
    return true;
  }
}

/** The last sent state of a chat or a request. */
interface Sent {
  readonly version: number;
  readonly atMs: number;
}
