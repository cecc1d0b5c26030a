/** Events of a run: all that exist, and new ones while it is live. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { ServerError } from '@truecast/client';
import { delay } from '@truecast/client/internal/calls/http-caller';
import { FrameStore } from '@truecast/client/internal/state/frame-store';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import {
  runEventPageView,
  type RunEventPageView,
  type RunEventView,
  type RunStatus,
} from '@truecast/client/internal/wire/kept-run';
import { useSession } from '../session/session.tsx';

/** Seconds for which the server waits for an event. */
const WAIT_SECONDS = 20;
/** Time before a failed request is repeated. */
const RETRY_MS = 3_000;

export interface FollowedEvents {
  readonly events: readonly RunEventView[];
  /** Text of the agent so far. */
  readonly text: string;
  readonly status: RunStatus | undefined;
  /** True if no event follows. */
  readonly isComplete: boolean;
  /** Reason why no event follows, although the run is live. */
  readonly failure: Error | undefined;
}

const NOTHING: FollowedEvents = {
  events: [],
  text: '',
  status: undefined,
  isComplete: false,
  failure: undefined,
};

/** Follows a run until it ends, or the component is removed. */
export function useRunEvents(id: string, isWanted: boolean): FollowedEvents {
  const { call, onError } = useSession();
  const store = useMemo(() => new FrameStore<FollowedEvents>(NOTHING), [id, call]);
  useEffect(() => {
    if (!isWanted) return undefined;
    const stopping = new AbortController();
    const { signal } = stopping;
    const read = (after: string | undefined): Promise<RunEventPageView> => {
      const path = `/api/kept_runs/${encodeURIComponent(id)}/events${toQuery({ after, wait: WAIT_SECONDS })}`;
      return call({ method: 'GET', path, shape: runEventPageView, signal });
    };
    const follow = async (): Promise<void> => {
      store.change(() => NOTHING);
      for (let after: string | undefined = '0'; after !== undefined;) {
        const page: RunEventPageView | undefined = await read(after).catch(async (error: unknown) => {
          if (signal.aborted || !isPassing(error)) throw error;
          await delay(RETRY_MS, signal);
          return undefined;
        });
        if (page === undefined) continue;
        store.change((state) => withPage(state, page));
        after = page.next;
      }
    };
    follow().catch((error: unknown) => {
      if (signal.aborted) return;
      onError(error);
      const failure = error instanceof Error ? error : new TypeError(String(error));
      store.change((state) => ({ ...state, failure }));
    });
    return () => stopping.abort();
  }, [id, isWanted, call, onError, store]);
  return useSyncExternalStore(store.subscribe, store.get);
}

function withPage(state: FollowedEvents, { status, events, next }: RunEventPageView): FollowedEvents {
  const said = events.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
  return {
    ...state,
    status,
    events: events.length === 0 ? state.events : [...state.events, ...events],
    text: state.text + said.join(''),
    isComplete: next === undefined,
  };
}

function isPassing(error: unknown): boolean {
  if (!ServerError.isInstance(error)) return false;
  const { code, statusCode = 0 } = error;
  return code === 'unreachable' || statusCode === 429 || statusCode >= 500;
}
