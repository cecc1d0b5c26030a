/** Arguments of the client's methods: other kinds are refused before anything is sent. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient, type Client, type ClientOptions } from './create-client.ts';
import type { ClientChat } from './client-chat.ts';
import { toQuery } from './calls/to-query.ts';

const sent: [string, RequestInit][] = [];
const client = createClient({
  baseURL: 'http://127.0.0.1:1//',
  token: ' tc_a ',
  fetch: ((url: string, init: RequestInit) => {
    sent.push([url, init]);
    return Promise.resolve(Response.json({}, { status: 400 }));
  }) as typeof fetch,
  maxRetries: 0,
});
const chat = client.chat({ id: 'a/b' });

/** Calls like untyped JavaScript. Returns the request that is sent, or the error. */
async function requestOf(
  of: Client | ClientChat,
  method: string,
  ...values: readonly unknown[]
): Promise<unknown> {
  sent.length = 0;
  try {
    await (Reflect.get(of, method) as (...values: readonly unknown[]) => unknown)(...values);
  } catch (error) {
    const [url, init] = sent[0] ?? [];
    return url === undefined ? error : [init?.method, url.replace('http://127.0.0.1:1', ''), init?.body];
  }
  return undefined;
}

it.each<[string, readonly unknown[], string, string, object?]>([
  ['read', [], 'GET', ''],
  ['edit', [7, { content: 'x' }], 'PATCH', '/messages/7', { content: 'x' }],
  ['edit', ['~mine', { content: 'x' }], 'PATCH', '/messages/~mine', { content: 'x' }],
  ['messages', [{ limit: 5, before: 9 }], 'GET', '/messages?limit=5&before=9'],
  ['messages', [], 'GET', '/messages'],
  ['queue', [], 'GET', '/queue'],
  ['deleteQueued', [7], 'DELETE', '/queue/7'],
  ['promoteQueued', [7], 'POST', '/queue/7/promote'],
  ['interrupt', [], 'POST', '/interrupt'],
  ['compact', [], 'POST', '/compact'],
  ['submitToolResults', [[]], 'POST', '/tool_results', { results: [] }],
  ['request', ['r/1'], 'GET', '/requests/r%2F1'],
  ['request', ['r', { waitMs: 1_500 }], 'GET', '/requests/r?wait=2'],
  ['send', [{ content: 'x' }], 'POST', '/messages', { content: 'x' }],
])('chat.%s(%j) sends %s %s', async (method, values, verb, path, body) => {
  const request = (await requestOf(chat, method, ...values)) as readonly unknown[];
  expect(request.slice(0, 2)).toEqual([
    verb,
    expect.stringContaining(`/api/chats/a%2Fb${path.split('?')[0]}`),
  ]);
  if (body !== undefined) expect(JSON.parse(String(request[2]))).toEqual(body);
});

it.each<[string, readonly unknown[], string, string, object?]>([
  ['listChats', [], 'GET', '/api/chats'],
  ['listChats', [{ limit: 2, q: 'a b' }], 'GET', '/api/chats?limit=2&q=a%20b'],
  ['patchChat', ['a/b', { title: 'T' }], 'PATCH', '/api/chats/a%2Fb', { title: 'T' }],
  ['deleteChat', ['a/b'], 'DELETE', '/api/chats/a%2Fb'],
  ['models', [], 'GET', '/api/models'],
  [
    'validateFormat',
    [{ type: 'text' }],
    'POST',
    '/api/response_formats/validate',
    { response_format: { type: 'text' } },
  ],
])('client.%s(%j) sends %s %s', async (method, values, verb, path, body) => {
  const [sentVerb, sentPath, text] = (await requestOf(client, method, ...values)) as readonly unknown[];
  expect([sentVerb, sentPath]).toEqual([verb, path]);
  if (body !== undefined) expect(JSON.parse(String(text))).toEqual(body);
});

describe('another kind of argument', () => {
  it.each<[string, readonly unknown[], string]>([
    ['edit', [{}, {}], 'argument of edit()'],
    ['deleteQueued', [undefined], 'argument of deleteQueued()'],
    ['promoteQueued', [null], 'argument of promoteQueued()'],
    ['request', [7], 'argument of request()'],
    ['submitToolResults', [{}], 'argument of submitToolResults()'],
    ['send', ['x'], 'argument of send()'],
    ['ask', ['x'], 'Write `ask({ prompt, output })`.'],
    ['read', ['x'], 'options of read()'],
    ['interrupt', [7], 'options of interrupt()'],
    ['deleteQueued', [7, 'x'], 'options of deleteQueued()'],
  ])('is refused by chat.%s(%j)', async (method, values, said) => {
    const error = await requestOf(chat, method, ...values);
    expect(error).toMatchObject({ name: 'UsageError' });
    expect(String(error)).toContain(said);
  });

  it('rejects, and throws only where a method returns at once', async () => {
    const call = (method: string): unknown =>
      Reflect.apply(Reflect.get(chat, method) as () => unknown, chat, ['x']);
    await expect(call('read')).rejects.toThrow('options of read()');
    expect(() => call('events')).toThrow('options of events()');
    expect(() => client.chat('x' as never)).toThrow(/chat\(\)/u);
  });
});

it('a chat without a message has no address', async () => {
  const error = await requestOf(client.chat(), 'read');
  expect(String(error)).toContain('no message was sent yet');
  expect(client.chat().id).toBeUndefined();
});

it('the first message creates the chat, with its settings', async () => {
  const made = client.chat({
    clientId: 'mine',
    model: 'm',
    title: 'T',
    labels: { a: 'b' },
    systemPrompt: 'S',
  });
  const message = { content: 'x', client_id: 'message-1', busy_behavior: 'queue' };
  const [verb, path, body] = (await requestOf(made, 'send', message)) as readonly unknown[];
  expect([verb, path, JSON.parse(String(body))]).toEqual([
    'POST',
    '/api/chats',
    {
      content: 'x',
      message_client_id: 'message-1',
      client_id: 'mine',
      model: 'm',
      title: 'T',
      labels: { a: 'b' },
      system_prompt: 'S',
    },
  ]);
});

it('each message has a key, by default another one each time', async () => {
  const keyOf = async (...options: readonly unknown[]): Promise<unknown> => {
    await requestOf(chat, 'send', { content: 'x' }, ...options);
    return new Headers(sent[0]?.[1].headers).get('idempotency-key');
  };
  expect(await keyOf({ idempotencyKey: 'k' })).toBe('k');
  expect(await keyOf()).not.toBe(await keyOf());
  expect(new Headers(sent[0]?.[1].headers).get('authorization')).toBe('Bearer tc_a');
});

it.each<[Partial<Record<keyof ClientOptions, unknown>>, string]>([
  [{ baseURL: 'here' }, 'Expected `baseURL` to be the URL of a server'],
  [{ baseURL: 'ftp://a' }, 'Expected `baseURL`'],
  [{ baseURL: '//a' }, 'Expected `baseURL`'],
  [{ baseURL: undefined }, 'Expected `baseURL`'],
  [{ maxRetries: -1 }, 'Expected `maxRetries` to be a non-negative integer, got `-1`'],
  [{ maxRetries: 0.5 }, 'Expected `maxRetries`'],
])('a client with %j is refused', (options, said) => {
  const all = { baseURL: 'https://example.com', token: 't', ...options } as ClientOptions;
  expect(() => createClient(all)).toThrow(said);
});

it.each<[unknown, string]>([
  [' ', 'got an empty string. Create one'],
  [7, 'got `7` (number). Create one'],
  [undefined, 'got `undefined`'],
])('the first call with the token %j is refused, and sends nothing', async (token, said) => {
  const calls: unknown[] = [];
  const fetch = ((url: string) => Promise.resolve(calls.push(url))) as never;
  const late = createClient({ baseURL: 'https://example.com', token: token as string, fetch });
  await expect(late.models()).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(said) as string,
  });
  expect(calls).toEqual([]);
});

describe('a path as `baseURL`', () => {
  const asked: string[] = [];
  const fetch = ((url: string) => {
    asked.push(url);
    return Promise.resolve(Response.json({ models: [] }));
  }) as typeof globalThis.fetch;
  const mounted = createClient({ baseURL: '/ai/', token: 't', fetch });
  afterEach(() => {
    vi.unstubAllGlobals();
    asked.length = 0;
  });

  it('is resolved by the page that calls', async () => {
    vi.stubGlobal('location', new URL('https://example.com/page?x=1'));
    expect([await mounted.models(), asked]).toEqual([[], ['https://example.com/ai/api/models']]);
    await createClient({ baseURL: '/', token: 't', fetch }).models();
    expect(asked[1]).toBe('https://example.com/api/models');
  });

  it.each([undefined, { origin: 'null' }])(
    'is refused at the first call with the location %j',
    async (location) => {
      vi.stubGlobal('location', location);
      await expect(mounted.models()).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('pass the whole URL of the server') as string,
      });
      expect(asked).toEqual([]);
    },
  );
});

it('a query has its defined members only', () => {
  expect(toQuery({})).toBe('');
  expect(toQuery({ a: undefined })).toBe('');
  expect(toQuery({ a: 1, b: undefined, c: 'x&y' })).toBe('?a=1&c=x%26y');
});
