/** Changes of the owner: one stream marks the lists of the page as stale. Nothing is read repeatedly. */
import { useEffect } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import type { OwnerStreamEvent } from '@truecast/client/internal/wire/stream/owner-stream';
import type {
  StreamedEvent,
  StreamOptions,
  StreamSource,
} from '@truecast/client/internal/calls/event-stream';

type EventName = OwnerStreamEvent['type'];

export type FollowChanges = <T>(
  source: StreamSource<T>,
  options: StreamOptions,
) => AsyncIterable<StreamedEvent<T>>;

interface ChangesProps {
  readonly follow: FollowChanges;
  readonly onError: (error: unknown) => void;
}

/** Queries that an event makes stale, by the first part of their key. */
const STALE: Readonly<Record<EventName, readonly string[]>> = {
  ready: [],
  // A turn that starts or ends changes its request.
  chat: ['chats', 'requests'],
  chat_deleted: ['chats', 'requests'],
  receipt: ['requests', 'schemas', 'quality'],
  run: ['runs', 'quality'],
  agent_run: ['runs'],
  ensemble_run: ['ensembles', 'quality'],
  models: ['models'],
};
/** Commits of one turn become one read of a list. */
const JOIN_MS = 200;
/** A busy server changes all the time: a list is read again at most this often. */
const PAUSE_MS = 1_000;

/** Follows the stream while the page is visible. Lists are read again when it becomes visible. */
export function OwnerChangesProvider({ follow, onError }: ChangesProps): null {
  const queries = useQueryClient();
  useEffect(() => {
    let leaving: AbortController | undefined;
    let lastEventId: string | undefined;
    const start = async (signal: AbortSignal): Promise<void> => {
      const marks = new Marks((key) => {
        // It would cancel the page of a list that is being read, and that read can be too early.
        if (queries.isFetching({ queryKey: [key] }) > 0) return false;
        void queries.invalidateQueries({ queryKey: [key] });
        return true;
      });
      signal.addEventListener('abort', () => marks.stop(), { once: true });
      for await (const { event, id } of follow({ path, read }, { lastEventId, signal })) {
        // A resumed stream without all changes: every list can be stale.
        if (event.isCut && lastEventId !== undefined) marks.add(Object.values(STALE).flat());
        // Connected models are in no row, so a resumed stream does not know of them.
        if (event.name === 'ready' && lastEventId !== undefined) marks.add(STALE.models);
        marks.add(STALE[event.name]);
        lastEventId = id ?? lastEventId;
      }
    };
    const follower = (): void => {
      leaving?.abort();
      leaving = undefined;
      // A hidden page keeps none of the few connections that a browser has for a server.
      if (document.hidden) return;
      leaving = new AbortController();
      const { signal } = leaving;
      start(signal).catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      });
    };
    follower();
    document.addEventListener('visibilitychange', follower);
    return () => {
      document.removeEventListener('visibilitychange', follower);
      leaving?.abort();
    };
  }, [follow, onError, queries]);
  return null;
}

const path = (after: string | undefined): string => `/api/stream${toQuery({ after })}`;

interface Change {
  readonly name: EventName;
  /** True if changes before it can be missing. */
  readonly isCut: boolean;
}

function read(name: string | undefined, data: string): Change | undefined {
  const known = Object.keys(STALE).find((each): each is EventName => each === name);
  return known && { name: known, isCut: known === 'ready' && data.includes('"is_resumed":false') };
}

/** Stale keys, each reported until it is taken. */
class Marks {
  readonly #keys = new Set<string>();
  readonly #take: (key: string) => boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #nextAt = 0;

  constructor(take: (key: string) => boolean) {
    this.#take = take;
  }

  add(keys: readonly string[]): void {
    for (const key of keys) this.#keys.add(key);
    if (this.#keys.size === 0) return;
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#nextAt = performance.now() + PAUSE_MS;
        for (const key of this.#keys) if (this.#take(key)) this.#keys.delete(key);
        this.add([]);
      },
      Math.max(JOIN_MS, this.#nextAt - performance.now()),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
