/** HTTP requests of the client: headers and body, retries and their pauses, errors. */
import { nothing, object, string } from '@truecast/core/internal/shape/shape';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callServer, delay, randomKey, send, type CallOptions, type Connection } from './http-caller.ts';

const named = object({ name: string });
const get: CallOptions<{ readonly name: string }> = { method: 'GET', path: '/api/x?a=1', shape: named };

type Answer = Response | Error;
interface Calls {
  readonly connection: Connection;
  readonly sent: [string, RequestInit][];
}

/** A server that gives these answers, the last one again and again. */
function answering(answers: readonly (() => Answer)[], maxRetries = 2): Calls {
  const sent: [string, RequestInit][] = [];
  const fetch = ((url: string, init: RequestInit): Promise<Response> => {
    const answer = (answers[sent.length] ?? answers.at(-1))?.();
    sent.push([url, init]);
    return answer instanceof Response ? Promise.resolve(answer) : Promise.reject(answer);
  }) as typeof globalThis.fetch;
  return { connection: { baseURL: 'http://127.0.0.1:1', token: 'tc_a', fetch, maxRetries }, sent };
}

const ok = (): Response => Response.json({ name: 'x', newer: 1 });
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (): Response =>
    Response.json({ code: 'a_code', detail: 'Why.' }, { status: code, headers });
const lost = (): Error => new TypeError('fetch failed');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs a call to its end. Returns the pauses before each further request. */
async function pausesOf(calls: Calls, options: Parameters<typeof send>[1]): Promise<readonly number[]> {
  const ended = send(calls.connection, options).catch(() => undefined);
  const pauses: number[] = [];
  let [count, at] = [0, Date.now()];
  for (;;) {
    await vi.advanceTimersByTimeAsync(0);
    if (calls.sent.length > count) {
      if (count > 0) pauses.push(Date.now() - at);
      [count, at] = [calls.sent.length, Date.now()];
    }
    if (vi.getTimerCount() === 0) break;
    await vi.advanceTimersToNextTimerAsync();
  }
  await ended;
  return pauses;
}

describe('a request', () => {
  it('whose answer breaks off is sent again, and has an error of the client in the end', async () => {
    vi.useRealTimers();
    const broken = (code: number) => (): Response => {
      const pull = (controller: ReadableStreamDefaultController): void =>
        controller.error(new TypeError('terminated'));
      return new Response(new ReadableStream({ pull }), { status: code });
    };
    const calls = answering([broken(200), ok], 1);
    await expect(callServer(calls.connection, get)).resolves.toMatchObject({ name: 'x' });
    for (const code of [200, 400]) {
      const { connection } = answering([broken(code)], 0);
      const failed = { name: 'ServerError', code: 'unreachable', cause: { message: 'terminated' } };
      await expect(callServer(connection, get)).rejects.toMatchObject(failed);
    }
  });

  it('has the token, and no more than it needs', async () => {
    const { connection, sent } = answering([ok]);
    await expect(callServer(connection, get)).resolves.toEqual({ name: 'x', newer: 1 });
    expect(sent).toEqual([
      [
        'http://127.0.0.1:1/api/x?a=1',
        { method: 'GET', redirect: 'manual', headers: { authorization: 'Bearer tc_a' } },
      ],
    ]);
    expect(Object.keys(sent[0]?.[1] ?? {})).toEqual(['method', 'redirect', 'headers']);
  });

  it('has its body, key and signal', async () => {
    const { connection, sent } = answering([ok]);
    const { signal } = new AbortController();
    await callServer(connection, { ...get, method: 'POST', body: { a: 1 }, idempotencyKey: 'k', signal });
    expect(sent[0]?.[1]).toEqual({
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: 'Bearer tc_a', 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: '{"a":1}',
      signal,
    });
  });

  it('without content has nothing to read', async () => {
    const { connection } = answering([() => new Response(null, { status: 204 })]);
    await expect(
      callServer(connection, { ...get, method: 'DELETE', shape: nothing }),
    ).resolves.toBeUndefined();
  });
});

describe('a failed request', () => {
  it.each([
    ['GET', 429, true],
    ['GET', 502, true],
    ['GET', 503, true],
    ['GET', 504, true],
    ['GET', 500, false],
    ['GET', 404, false],
    ['GET', 302, false],
    ['POST', 503, false],
    ['PATCH', 503, false],
    ['DELETE', 503, false],
  ] as const)('%s with the status %i is repeated: %s', async (method, code, isRepeated) => {
    expect(await pausesOf(answering([status(code)]), { method, path: '/' })).toEqual(
      isRepeated ? [250, 500] : [],
    );
  });

  it('with a key is repeated, and one whose connection is lost too', async () => {
    const keyed = { method: 'POST', path: '/', idempotencyKey: 'k' } as const;
    expect(await pausesOf(answering([status(503)]), keyed)).toEqual([250, 500]);
    expect(await pausesOf(answering([lost]), { method: 'GET', path: '/' })).toEqual([250, 500]);
    expect(await pausesOf(answering([lost]), { method: 'POST', path: '/' })).toEqual([]);
    expect(await pausesOf(answering([status(503)], 0), keyed)).toEqual([]);
  });

  it('is repeated until it succeeds', async () => {
    expect(await pausesOf(answering([lost, status(502), ok], 5), { method: 'GET', path: '/' })).toEqual([
      250, 500,
    ]);
  });

  it('is repeated after pauses that grow up to ten seconds', async () => {
    expect(await pausesOf(answering([lost], 7), { method: 'GET', path: '/' })).toEqual([
      250, 500, 1_000, 2_000, 4_000, 8_000, 10_000,
    ]);
  });

  it.each([
    ['3', 3_000],
    ['0.1', 250],
    ['600', 60_000],
    ['-5', 250],
    ['0', 250],
    ['Fri, 01 Jan 2027 00:00:00 GMT', 250],
  ])('with `retry-after: %s` is repeated after %i ms', async (after, pause) => {
    const calls = answering([status(429, { 'retry-after': after }), ok]);
    expect(await pausesOf(calls, { method: 'GET', path: '/' })).toEqual([pause]);
  });
});

describe('an error', () => {
  const errorOf = async (answer: () => Answer): Promise<unknown> =>
    callServer(answering([answer], 0).connection, get).catch((error: unknown) => error);

  it('names a server that cannot be reached', async () => {
    const error = await errorOf(lost);
    expect(error).toMatchObject({
      name: 'ServerError',
      code: 'unreachable',
      message: 'The server at http://127.0.0.1:1 cannot be reached. Check that it runs there.',
      cause: { message: 'fetch failed' },
    });
    expect(error).not.toHaveProperty('statusCode', expect.anything());
  });

  it('has the problem of the server', async () => {
    expect(await errorOf(status(400))).toMatchObject({
      code: 'refused',
      statusCode: 400,
      message: 'Why.',
      problem: { code: 'a_code', detail: 'Why.' },
    });
  });

  it.each<[string, () => Response, number, string]>([
    [
      'an address',
      () => new Response('', { status: 302, headers: { location: '/b' } }),
      302,
      'it redirects to /b.',
    ],
    ['no address', () => new Response('', { status: 399 }), 399, 'it redirects to another address.'],
    ['a page', () => new Response('<html>', { status: 404 }), 404, 'it is not a problem document.'],
    ['another document', () => Response.json({ error: 1 }, { status: 400 }), 400, 'code'],
    ['text', () => new Response('hello'), 200, 'The response is not from a Truecast server: '],
    ['another value', () => Response.json({ name: 1 }), 200, 'name'],
  ])('of a response with %s says that it is no server of Truecast', async (_, answer, statusCode, said) => {
    const error = await errorOf(answer);
    expect(error).toMatchObject({ code: 'invalid-response', statusCode });
    expect(String(error)).toContain(said);
    expect(String(error)).toContain('Check the address. Update the older side.');
  });

  it('is the reason of the signal, if it was aborted', async () => {
    const reason = new Error('stopped');
    const options = { ...get, signal: AbortSignal.abort(reason) };
    const { connection, sent } = answering([lost]);
    await expect(callServer(connection, options)).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
  });
});

describe('a pause', () => {
  it('ends with its time, and leaves no listener', async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    let hasEnded = false;
    const pause = delay(100, signal).then(() => (hasEnded = true));
    await vi.advanceTimersByTimeAsync(99);
    expect(hasEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(hasEnded).toBe(true);
    await pause;
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
  });

  it('ends at once with the reason of its signal, and leaves no timer', async () => {
    const stopping = new AbortController();
    const reason = new Error('stopped');
    const pause = delay(100, stopping.signal).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1);
    stopping.abort(reason);
    expect(await pause).toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
    await expect(delay(100, stopping.signal)).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('needs no signal', async () => {
    const pause = delay(5, undefined);
    await vi.advanceTimersByTimeAsync(5);
    await expect(pause).resolves.toBeUndefined();
  });
});

it('each key is another one, of 32 hexadecimal digits', () => {
  const keys = Array.from({ length: 50 }, randomKey);
  expect(new Set(keys).size).toBe(50);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/u);
});
