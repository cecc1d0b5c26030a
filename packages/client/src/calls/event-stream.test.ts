/** Event stream: reads a connection, and opens the next one after a pause. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followStream, type StreamedEvent, type StreamSource } from './event-stream.ts';
import type { Connection } from './http-caller.ts';

const source: StreamSource<string> = {
  path: (after) => `/stream${after === undefined ? '' : `?after=${after}`}`,
  read: (name, data) => (name === 'newer' ? undefined : `${name ?? ''}:${data}`),
};
const sse = (...chunks: readonly string[]): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    }),
  );
const refused = (status: number): Response => Response.json({ code: 'gone', detail: 'Gone.' }, { status });

interface Server {
  readonly connection: Connection;
  /** Path, and the time of the request. */
  readonly opened: (readonly [path: string, atMs: number])[];
}

function serving(answers: readonly (() => Response | Error)[]): Server {
  const opened: (readonly [string, number])[] = [];
  const begin = Date.now();
  const fetch = ((url: string) => {
    const answer = (answers[opened.length] ?? answers.at(-1))?.();
    opened.push([url.replace('http://127.0.0.1:1', ''), Date.now() - begin]);
    return answer instanceof Response ? Promise.resolve(answer) : Promise.reject(answer);
  }) as typeof globalThis.fetch;
  return { connection: { baseURL: 'http://127.0.0.1:1', token: 't', fetch, maxRetries: 0 }, opened };
}

/** Reads that many events, or until the stream ends with an error. */
async function read(
  stream: AsyncGenerator<StreamedEvent<string>>,
  count: number,
): Promise<{ readonly events: StreamedEvent<string>[]; readonly error?: unknown }> {
  const events: StreamedEvent<string>[] = [];
  const reading = (async () => {
    for await (const event of stream) if (events.push(event) === count) break;
  })().then(
    () => ({ events }),
    (error: unknown) => ({ events, error }),
  );
  for (let turn = 0; turn < 40; turn += 1) await vi.advanceTimersByTimeAsync(1_000);
  return reading;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('reads events in pieces, with their ids, and skips those of a newer server', async () => {
  const { connection } = serving([
    () =>
      sse(
        'id: 1\nevent: a\ndata: x',
        '\n\n: comment\n\nevent: newer\ndata: y\n\n',
        'event: b\ndata: é\n\ndata: z\n\n',
      ),
  ]);
  expect((await read(followStream(connection, source, {}), 3)).events).toEqual([
    { event: 'a:x', id: '1' },
    { event: 'b:é' },
    { event: ':z' },
  ]);
});

it('continues after the last id, 250 ms after a connection that had an event', async () => {
  const { connection, opened } = serving([
    () => sse('id: 5\nevent: a\ndata: x\n\nevent: hint\ndata: h\n\n'),
    () => sse('id: 6\nevent: a\ndata: y\n\n'),
    () => sse('id: 7\nevent: a\ndata: z\n\n'),
  ]);
  const { events } = await read(followStream(connection, source, { lastEventId: '4' }), 4);
  expect(events.map(({ event }) => event)).toEqual(['a:x', 'hint:h', 'a:y', 'a:z']);
  expect(opened).toEqual([
    ['/stream?after=4', 0],
    ['/stream?after=5', 250],
    ['/stream?after=6', 500],
  ]);
});

it('waits longer each time while there is no event, up to five seconds', async () => {
  const { connection, opened } = serving([
    () => new TypeError('fetch failed'),
    () => refused(429),
    () => refused(500),
    () => refused(503),
    () => sse(),
    () => sse(),
    () => sse(),
    () => sse('event: a\ndata: x\n\n'),
    () => sse('event: a\ndata: y\n\n'),
  ]);
  expect((await read(followStream(connection, source, {}), 2)).events).toHaveLength(2);
  expect(opened.map(([, at], index) => at - (opened[index - 1]?.[1] ?? 0))).toEqual([
    0, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 250,
  ]);
});

it.each([401, 404, 499])('ends with the refusal of the server: %i', async (status) => {
  const { connection, opened } = serving([() => refused(status)]);
  const { error } = await read(followStream(connection, source, {}), 1);
  expect(error).toMatchObject({ code: 'refused', statusCode: status });
  expect(opened).toHaveLength(1);
});

it('ends with the reason of its signal, also while it waits', async () => {
  const reason = new Error('stopped');
  const { connection, opened } = serving([() => sse()]);
  const stopped = await read(followStream(connection, source, { signal: AbortSignal.abort(reason) }), 1);
  expect([stopped.error, opened]).toEqual([reason, []]);
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(reason), 100);
  const later = await read(followStream(connection, source, { signal: stopping.signal }), 1);
  expect([later.error, opened.length]).toEqual([reason, 1]);
});

it('leaves a connection that is silent for a minute, and one whose reader leaves', async () => {
  const signals: AbortSignal[] = [];
  const fetch = ((_url: string, { signal }: { readonly signal: AbortSignal }) => {
    signals.push(signal);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        if (signals.length === 2) controller.enqueue(new TextEncoder().encode('event: a\ndata: x\n\n'));
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return Promise.resolve(new Response(body));
  }) as unknown as typeof globalThis.fetch;
  const connection: Connection = { baseURL: 'http://127.0.0.1:1', token: 't', fetch, maxRetries: 0 };
  const stream = followStream(connection, source, {});
  const first = stream.next();
  await vi.advanceTimersByTimeAsync(59_999);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await vi.advanceTimersByTimeAsync(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  await vi.advanceTimersByTimeAsync(250);
  expect(await first).toEqual({ done: false, value: { event: 'a:x' } });
  await stream.return();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(vi.getTimerCount()).toBe(0);
});

it('gives nothing more of a chunk to a caller that stopped', async () => {
  const { connection } = serving([() => sse('event: a\ndata: 1\n\nevent: a\ndata: 2\n\n')]);
  const stopping = new AbortController();
  const events: string[] = [];
  const reading = (async () => {
    for await (const { event } of followStream(connection, source, { signal: stopping.signal })) {
      events.push(event);
      stopping.abort();
    }
  })();
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  expect(events).toEqual(['a:1']);
});

it('ends without a token, and opens no connection', async () => {
  const { connection, opened } = serving([() => sse('event: a\ndata: 1\n\n')]);
  const { events, error } = await read(followStream({ ...connection, token: undefined }, source, {}), 1);
  expect(events).toEqual([]);
  expect(error).toMatchObject({ name: 'UsageError' });
  expect(opened).toEqual([]);
});
