/**
 * Tests an older client with a newer server: a server on 127.0.0.1 sends codes, states, parts, events and
 * members that the client does not know. It goes on, and keeps what it got.
 */
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createClient, type Client, type ChatStreamEvent } from '../../packages/client/src/index.ts';
import { toUIMessages } from '../../packages/client/src/exports/ai-sdk.ts';
import { EMPTY_CHAT, foldChatEvent } from '../../packages/client/src/state/folded-chat.ts';
import { Output } from '../../packages/core/src/output/output.ts';

const AT = '2030-01-01T00:00:00.000Z';
const CHAT = {
  id: 'c1',
  title: 'Chat',
  status: 'dreaming',
  model: 'm',
  plan_mode: false,
  tools: [],
  settings: {},
  queue_length: 0,
  version: 1,
  turn_version: 1,
  created_at: AT,
  updated_at: AT,
  mood: 'new member',
};
const QUESTION = {
  id: 1,
  chat_id: 'c1',
  role: 'user',
  content: [{ type: 'text', text: 'Which city?' }],
  is_compressed: false,
  request_id: 'r1',
  created_at: AT,
};
const MESSAGE = {
  id: 2,
  chat_id: 'c1',
  role: 'assistant',
  content: [
    { type: 'audio', url: 'https://example.invalid/a.ogg', seconds: 3 },
    { type: 'text', text: 'Oslo', language: 'no' },
  ],
  is_compressed: false,
  finish_reason: 'out_of_battery',
  created_at: AT,
};
const RECEIPT = {
  request_id: 'r1',
  status: 'succeeded',
  value: { name: 'Oslo' },
  value_text: '{"name":"Oslo"}',
  schema_hash: 'h',
  mode: 'telepathy',
  attempts: [
    { code: 'brand_new', mode: 'telepathy' },
    { code: 'ok', repairs: ['polished'], waited_for: 'tea' },
  ],
  dialect: 'esperanto',
  created_at: AT,
  ended_at: AT,
  carbon_grams: 4,
};

const EVENTS: readonly (readonly [string, object])[] = [
  ['weather', { type: 'weather', sky: 'blue' }],
  ['status', { type: 'status', status: 'dreaming', version: 2 }],
  ['part', { type: 'part', kind: 'smell', delta: 'roses' }],
  ['message', { type: 'message', message: MESSAGE }],
  ['receipt', { type: 'receipt', receipt: { ...RECEIPT, status: 'pondering', ended_at: undefined } }],
  ['receipt', { type: 'receipt', receipt: RECEIPT }],
];

const SENT = { message: QUESTION, request_id: 'r1', weather: 'sunny' };

let server: ReturnType<typeof createServer>;
let client: Client;

beforeEach(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.includes('/stream')) return sendEvents(response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.method === 'POST' ? SENT : answerTo(path)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  client = createClient({ baseURL: `http://127.0.0.1:${address.port}`, token: 't' });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function sendEvents(response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream');
  for (const [index, [name, data]] of EVENTS.entries()) {
    response.write(`id: ${index + 1}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

function answerTo(path: string): object {
  if (path.includes('/requests/')) return RECEIPT;
  if (path.includes('/messages')) return { messages: [QUESTION, MESSAGE], has_more: false };
  if (path.includes('/models')) {
    return {
      models: [
        {
          id: 'm',
          is_default: true,
          provider: 'p',
          is_scripted: false,
          mode: 'telepathy',
          dialect: 'esperanto',
        },
      ],
    };
  }
  return path.endsWith('/c1') ? CHAT : { chats: [CHAT] };
}

it('keeps unknown members, states, codes and parts as they came', async () => {
  const chat = client.chat({ id: 'c1' });
  expect(await chat.read()).toEqual(CHAT);
  expect(await client.listChats()).toEqual({ chats: [CHAT] });
  expect(await client.models()).toMatchObject([{ mode: 'telepathy', dialect: 'esperanto' }]);
  expect(await chat.request('r1')).toEqual(RECEIPT);
  expect((await chat.messages()).messages).toEqual([QUESTION, MESSAGE]);
});

it('yields events with unknown values, and skips unknown events', async () => {
  const seen: ChatStreamEvent[] = [];
  for await (const { event } of client.chat({ id: 'c1' }).events()) {
    seen.push(event);
    if (event.type === 'receipt' && event.receipt.status === 'succeeded') break;
  }
  expect(JSON.parse(JSON.stringify(seen))).toEqual(
    JSON.parse(JSON.stringify(EVENTS.slice(1).map(([, data]) => data))),
  );
});

it('shows the known parts of a message', async () => {
  const chat = client.chat({ id: 'c1' });
  const { messages } = await chat.messages();
  const shown = await toUIMessages(messages);
  expect(shown.flatMap(({ parts }) => parts)).toContainEqual({ type: 'text', text: 'Oslo', state: 'done' });
  const folded = messages.reduce(
    (state, message) => foldChatEvent(state, { type: 'message', message }),
    EMPTY_CHAT,
  );
  expect(JSON.stringify(folded)).toContain('"audio"');
});

it('asks, and waits for the end of a request with an unknown status', async () => {
  const events: string[] = [];
  const chat = client.chat({ id: 'c1' });
  const asked = chat.ask({
    prompt: 'Which city?',
    output: Output.object({ schema: z.object({ name: z.string() }) }),
    onEvent: ({ type }) => events.push(type),
  });
  await expect(asked).resolves.toMatchObject({ output: { name: 'Oslo' }, receipt: { mode: 'telepathy' } });
  expect(events).toEqual(['status', 'part', 'message', 'receipt', 'receipt']);
});
