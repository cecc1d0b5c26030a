/**
 * Follower of a kept run's events, for a request that waits and for an SSE stream.
 *
 * Another process writes the run's journal without notifying the server. Each follower therefore
 * reads the end of the file four times a second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import type { RunEventPageView, RunStatus, RunStreamEvent } from '@truecast/client/internal/wire/kept-run';
import type { RunArchive, RunEventQuery } from '../../contract/run-archive.ts';
import type { ServerParts } from '../server-parts.ts';
import type { EventSink } from './event-sink.ts';
import { openEventStream, type StreamLife } from './stream-loop.ts';

const READ_MS = 250;
const MAX_EVENTS = 1_000;

/** The page to read, and the maximum wait for it. */
export interface RunWait extends RunEventQuery {
  /** 0 returns at once. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Reads a page of a run's events. An empty page of a live run is returned after `waitMs`, or when
 * the signal aborts.
 *
 * @throws RequestRefusedError `not-found`
 */
export async function followKeptRunEvents(
  runs: RunArchive | undefined,
  id: string,
  { waitMs, signal, ...query }: RunWait,
): Promise<RunEventPageView> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  for (;;) {
    const page = await runs?.events(id, query);
    if (page === undefined) throw noKeptRun();
    if (page.events.length > 0 || page.status !== 'live' || waitMs === 0 || end.aborted) return page;
    await sleep(READ_MS, undefined, { signal: end }).catch(() => undefined);
  }
}

/** Creates the error of a request for a run that does not exist. */
export function noKeptRun(): RequestRefusedError {
  return new RequestRefusedError('There is no such run. Old runs are removed. List the runs again.', {
    code: 'not-found',
  });
}

export interface KeptRunStreamOptions extends StreamLife {
  readonly id: string;
  /** Position after the last event that the client has. */
  readonly after: number;
}

/** Opens the stream. It ends with the run. */
export function openKeptRunStream(
  parts: Pick<ServerParts, 'store' | 'streamTimes' | 'onFault'>,
  runs: RunArchive,
  { id, after, ...life }: KeptRunStreamOptions,
): ReadableStream<Uint8Array> {
  let at = after;
  let told: RunStatus | undefined;
  const tell = async (sink: EventSink, status: RunStatus): Promise<void> => {
    if (told === status) return;
    told = status;
    const event: RunStreamEvent = { type: 'status', status };
    await sink.write(event);
  };
  const send = async (sink: EventSink): Promise<void> => {
    while (!sink.closed.aborted) {
      const page = await runs.events(id, { after: at, limit: MAX_EVENTS });
      // Undefined if the run was removed in the meantime.
      if (page === undefined) return sink.end();
      const { status, events, next } = page;
      if (told === undefined) await tell(sink, status);
      for (const event of events) await sink.write(event, event.id);
      if (next === undefined) {
        await tell(sink, status);
        return sink.end();
      }
      at = Number(next);
      if (events.length === 0) return undefined;
    }
    return undefined;
  };
  return openEventStream(parts, life, {
    listen: (ring) => {
      const timer = setInterval(() => ring('rows'), READ_MS);
      return [() => clearInterval(timer)];
    },
    tell: async (rung, sink) => {
      if (rung.has('rows')) await send(sink);
    },
  });
}
