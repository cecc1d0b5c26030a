/**
 * SSE stream of all changes of an owner for one client: chats, receipts and runs in their current
 * state.
 *
 * A commit's hint names its chat, which is then read by its id. At the start and at each poll, all
 * changes since the last poll are read. A lost hint therefore delays an event, but loses none.
 * Polls also find changes of a SQLite ledger by other processes. Runs of coding agents are files, whose
 * times are read more often.
 */
import { EVENTS_CHANNEL } from '@truecast/store/internal/watch-events';
import type { OwnerStreamEvent } from '@truecast/client/internal/wire/stream/owner-stream';
import type { ServerParts } from '../server-parts.ts';
import type { EventSink } from './event-sink.ts';
import {
  agentRunChanges,
  ledgerChanges,
  runChanges,
  toChanges,
  type FeedChange,
  type FeedChanges,
} from './owner-feed-changes.ts';
import { openEventStream, untilItIsBack, type StreamLife } from './stream-loop.ts';

export interface OwnerStreamOptions extends StreamLife {
  readonly owner: string;
  /** True to send the runs of the project too. */
  readonly hasProject: boolean;
  /** True to send the owner's durable runs too. */
  readonly hasRuns: boolean;
  /** Time of the last event of an earlier stream, in milliseconds since 1970. */
  readonly since?: number;
}

/**
 * Commits can become visible later than their time, because transactions take time and the clocks
 * of processes differ. Each read therefore overlaps the last one by this time.
 */
const OVERLAP_MS = 30_000;

/** If more chats changed at once, they are not sent, and the client reads its lists again. */
const MAX_CHATS = 500;

/** Delay of a read after a hint. It joins the commits of one turn into one read. */
const JOIN_MS = 50;

/** Runs of coding agents are files that other processes write. Their times are read this often. */
const RUNS_MS = 2_000;

export function openOwnerStream(parts: ServerParts, options: OwnerStreamOptions): ReadableStream<Uint8Array> {
  const feed = new OwnerFeed(parts, options);
  return openEventStream(parts, options, {
    listen: (ring) => {
      let joining: NodeJS.Timeout | undefined;
      const join = (): void => {
        joining ??= setTimeout(() => {
          joining = undefined;
          ring('rows');
        }, JOIN_MS);
      };
      const stop = parts.machine.onOwner(options.owner, (chatId) => {
        feed.hear(chatId);
        join();
      });
      const stopLedger = options.hasProject
        ? parts.store.notifications.subscribe(EVENTS_CHANNEL, () => {
            feed.hearLedger();
            join();
          })
        : (): void => undefined;
      const stopRuns = options.hasRuns
        ? parts.agentRuns.onOwnersRuns(options.owner, (runId) => {
            feed.hearAgentRun(runId);
            join();
          })
        : (): void => undefined;
      const stopModels = parts.models.onChange?.(() => {
        feed.hearModels();
        join();
      });
      const runs = setInterval(() => {
        if (options.hasProject && feed.hearRuns()) ring('rows');
      }, RUNS_MS);
      return [
        stop,
        stopLedger,
        stopRuns,
        () => stopModels?.(),
        () => clearTimeout(joining),
        () => clearInterval(runs),
      ];
    },
    tell: async (rung, sink) => {
      if (rung.has('poll')) feed.hear(undefined);
      if (rung.has('rows')) await feed.send(sink);
    },
  });
}

/** Parses the id of an event. Undefined for an invalid id. */
export function readOwnerCursor(text: string): number | undefined {
  const time = /^\d{1,15}$/u.test(text) ? Number(text) : Number.NaN;
  return time <= Date.now() + OVERLAP_MS ? time : undefined;
}

/** Unsent changes of one stream. */
class OwnerFeed {
  readonly #parts: ServerParts;
  readonly #options: OwnerStreamOptions;
  readonly #heard = new Set<string>();
  readonly #heardRuns = new Set<string>();
  readonly #sent = new Map<string, FeedChange>();
  #isAllDue = true;
  #isLedgerDue = false;
  #areRunsDue = false;
  #areModelsDue = false;
  /**
   * All changes before this time were sent, except those that became visible late. Used as the id
   * of each event.
   */
  #readMs: number;
  /** Undefined after `ready` was sent. */
  #ready: { readonly isResumed: boolean } | undefined;

  constructor(parts: ServerParts, options: OwnerStreamOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#readMs = options.since ?? Date.now();
    this.#ready = { isResumed: options.since !== undefined };
  }

  /** Notes a changed chat. With undefined, everything can have changed. */
  hear(chatId: string | undefined): void {
    this.#note(this.#heard, chatId);
  }

  /** Notes a changed durable run. With undefined, everything can have changed. */
  hearAgentRun(runId: string | undefined): void {
    this.#note(this.#heardRuns, runId);
  }

  #note(heard: Set<string>, id: string | undefined): void {
    if (id === undefined || heard.size >= MAX_CHATS) this.#isAllDue = true;
    else heard.add(id);
  }

  /** Notes a change of the ledger. */
  hearLedger(): void {
    this.#isLedgerDue = true;
  }

  /** Notes a change of the models of this process. */
  hearModels(): void {
    this.#areModelsDue = true;
  }

  /** Notes that runs can have changed. Returns false without an archive of runs. */
  hearRuns(): boolean {
    this.#areRunsDue = true;
    return this.#parts.runs !== undefined;
  }

  /** Reads the due changes and sends them. */
  async send(sink: EventSink): Promise<void> {
    await this.#sendModels(sink);
    const due = {
      isAll: this.#isAllDue,
      isLedger: this.#isLedgerDue,
      areRuns: this.#areRunsDue,
      chatIds: [...this.#heard],
      runIds: [...this.#heardRuns],
    };
    const isNone = due.chatIds.length + due.runIds.length === 0;
    if (!due.isAll && !due.isLedger && !due.areRuns && isNone) return;
    this.#isAllDue = false;
    this.#isLedgerDue = false;
    this.#areRunsDue = false;
    this.#heard.clear();
    this.#heardRuns.clear();
    const startedMs = Date.now();
    const changes = await this.#read(due).catch(untilItIsBack);
    if (changes === 'away') {
      this.#isAllDue = true;
      return;
    }
    for (const event of this.#eventsOf(changes)) await sink.write(event, String(this.#readMs));
    if (!due.isAll) return;
    // Set only now, so that a client that disconnects earlier resumes at the previous read.
    this.#readMs = startedMs;
    for (const [key, { atMs }] of this.#sent) if (atMs < startedMs - OVERLAP_MS) this.#sent.delete(key);
  }

  /** The client reads the list itself. Before `ready` it has read nothing. */
  async #sendModels(sink: EventSink): Promise<void> {
    if (!this.#areModelsDue || this.#ready !== undefined) return;
    this.#areModelsDue = false;
    await sink.write({ type: 'models' }, String(this.#readMs));
  }

  async #read({ isAll, isLedger, areRuns, chatIds, runIds }: Due): Promise<FeedChanges> {
    const { owner, hasProject, hasRuns } = this.#options;
    const since = this.#readMs - OVERLAP_MS;
    const read: FeedChanges[] = [];
    if (isAll || chatIds.length > 0) {
      const query = { owner, since, limit: MAX_CHATS, ...(!isAll && { chatIds }) };
      read.push(toChanges(await this.#parts.machine.ownerChanges(query)));
    }
    if (hasRuns && (isAll || runIds.length > 0)) {
      const query = { owner, since, limit: MAX_CHATS, ...(!isAll && { runIds }) };
      read.push(await agentRunChanges(this.#parts, query));
    }
    if (hasProject && (isAll || isLedger)) read.push(await ledgerChanges(this.#parts, since));
    if (hasProject && (isAll || areRuns)) read.push(await runChanges(this.#parts, since));
    return {
      changes: read.flatMap(({ changes }) => changes),
      // The next poll sends everything that a hinted read misses.
      isCut: isAll && read.some(({ isCut }) => isCut),
    };
  }

  *#eventsOf({ changes, isCut }: FeedChanges): Generator<OwnerStreamEvent> {
    const ready = isCut ? { isResumed: false } : this.#ready;
    this.#ready = undefined;
    if (ready !== undefined) yield { type: 'ready', is_resumed: ready.isResumed };
    for (const change of changes) if (this.#isNew(change)) yield change.event;
  }

  #isNew(change: FeedChange): boolean {
    const before = this.#sent.get(change.key);
    if (before !== undefined && before.version >= change.version) return false;
    if (before?.state !== undefined && before.state === change.state) return false;
    this.#sent.set(change.key, change);
    return true;
  }
}

/** Changes of which a stream was notified. */
interface Due {
  readonly isAll: boolean;
  readonly isLedger: boolean;
  readonly areRuns: boolean;
  readonly chatIds: readonly string[];
  readonly runIds: readonly string[];
}
