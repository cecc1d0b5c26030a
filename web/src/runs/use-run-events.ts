/** Events of a run: all that exist, and new ones while it is live. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { eventReader } from '@truecast/client/internal/calls/event-stream';
import { isPassing } from '@truecast/client/internal/calls/patience';
import { delay } from '@truecast/client/internal/calls/http-caller';
import { FrameStore } from '@truecast/client/internal/state/frame-store';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { agentRunEvent, type AgentRunEvent } from '@truecast/client/internal/wire/runs/agent-run-event';
import { runEventPageView, type RunEventPageView } from '@truecast/client/internal/wire/kept-run';
import { useSession, type Session } from '../session/session.tsx';
import { AnswerReader } from './model/answer-reader.ts';
import { NO_EVENTS, withPage, withStreamed, type FollowedEvents } from './model/followed-events.ts';

/** Seconds for which the server waits for an event. */
const WAIT_SECONDS = 20;
/** Time before a failed request is repeated. */
const RETRY_MS = 3_000;
/** Events that came within this time are added at once. */
const JOIN_MS = 50;

/** The run to follow. */
interface Followed {
  readonly id: string;
  /** Takes each event once. */
  readonly reader: AnswerReader;
}

/** Follows one run, and reports what changed. Resolves at its end. */
type Follow = (
  session: Session,
  run: Followed,
  change: (fold: (state: FollowedEvents) => FollowedEvents) => void,
  signal: AbortSignal,
) => Promise<void>;

interface FollowOptions {
  /** False while nothing has to be followed. */
  readonly isWanted: boolean;
  /** Tag around the answer in the agent's text. Undefined if it does not come as text. */
  readonly tag: string | undefined;
}

/** Follows a run of the state folder until it ends, or the component is removed. */
export function useKeptEvents(id: string, options: FollowOptions): FollowedEvents {
  return useEvents(followKept, id, options);
}

/** Follows a durable run until its receipt, or the component is removed. */
export function useDurableEvents(id: string, options: FollowOptions): FollowedEvents {
  return useEvents(followDurable, id, options);
}

function useEvents(follow: Follow, id: string, { isWanted, tag }: FollowOptions): FollowedEvents {
  const session = useSession();
  const store = useMemo(() => new FrameStore<FollowedEvents>(NO_EVENTS), [id, session]);
  useEffect(() => {
    if (!isWanted) return undefined;
    const stopping = new AbortController();
    const { signal } = stopping;
    store.change(() => NO_EVENTS);
    const change: Parameters<Follow>[2] = (fold) => {
      if (!signal.aborted) store.change(fold);
    };
    follow(session, { id, reader: new AnswerReader(tag) }, change, signal).catch((error: unknown) => {
      if (signal.aborted) return;
      session.onError(error);
      const failure = error instanceof Error ? error : new TypeError(String(error));
      change((state) => ({ ...state, failure }));
    });
    return () => stopping.abort();
  }, [follow, id, isWanted, session, store, tag]);
  return useSyncExternalStore(store.subscribe, store.get);
}

const followKept: Follow = async ({ call }, { id, reader }, change, signal) => {
  const read = (after: string | undefined): Promise<RunEventPageView> => {
    const path = `/api/kept_runs/${encodeURIComponent(id)}/events${toQuery({ after, wait: WAIT_SECONDS })}`;
    return call({ method: 'GET', path, shape: runEventPageView, signal });
  };
  for (let after: string | undefined = '0'; after !== undefined;) {
    const page: RunEventPageView | undefined = await read(after).catch(async (error: unknown) => {
      if (signal.aborted || !isPassing(error)) throw error;
      await delay(RETRY_MS, signal);
      return undefined;
    });
    if (page === undefined) continue;
    change((state) => withPage(state, page, reader));
    after = page.next;
  }
};

const readEvent = eventReader(agentRunEvent);

const followDurable: Follow = async ({ follow }, { id, reader }, change, signal) => {
  let waiting: { readonly id: string; readonly event: AgentRunEvent }[] = [];
  let joining: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(joining);
    joining = undefined;
    const received = waiting;
    waiting = [];
    change((state) => withStreamed(state, received, reader));
  };
  const path = (after: string | undefined): string =>
    `/api/runs/${encodeURIComponent(id)}/stream${toQuery({ after })}`;
  for await (const { event, id: position = '' } of follow({ path, read: readEvent }, { signal })) {
    waiting.push({ id: position, event });
    // Else the stream would be opened again.
    if (event.type === 'receipt') return flush();
    joining ??= setTimeout(flush, JOIN_MS);
  }
};
