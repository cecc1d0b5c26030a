/**
 * Property over HTTP: whatever a model does and a client requests, each accepted request ends with
 * exactly one receipt, reported consistently everywhere.
 */
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { createParser } from 'eventsource-parser';
import { expect, it } from 'vitest';
import { extractStructuredOutputValue } from '../../packages/client/src/extract-structured-output-value.ts';
import { parseJson } from '../../packages/core/src/json/parse-json.ts';
import type { MessagePageView, MessageView } from '../../packages/client/src/wire/message.ts';
import type { Receipt } from '../../packages/client/src/wire/receipt.ts';
import { chatStreamEvent, type ChatStreamEvent } from '../../packages/client/src/wire/stream-event.ts';
import { toZod } from '../../packages/server/src/contract/to-zod.ts';
import { toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type {
  ScriptedTurn,
  TurnMessage,
} from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { describeOnBothStores } from '../both-stores.ts';
import { matrixRuns } from '../matrix.ts';
import { submit } from './answers.ts';
import { httpServer, type HttpServer } from './http-server.ts';
import { testServer } from './test-server.ts';

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};
const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema } };
const isValid = new Ajv().compile(schema);

/** The model's action in one call. `n` is the number of the message that it answers. */
const replies = (n: number): Readonly<Record<string, ScriptedReply>> => ({
  valid: valid(n),
  invalid: submit('{"output":{"n":"seven"}}'),
  malformed: submit('{"output":{"n":1,"n":2}}'),
  text: reply.text('Seven.'),
  tool: reply.tool('look', {}),
  both: reply.steps([reply.tool('look', {}), valid(n)]),
  cut: reply.cut({ afterChunks: 3 }, valid(n)),
  error: reply.error(500),
  refused: reply.error(401),
  slow: reply.delay(40, valid(n)),
  slowText: reply.delay(40, reply.text('Wait.')),
});
const valid = (n: number): ReturnType<typeof submit> => submit(`{"output":{"n":${n}}}`);
/** The client's concurrent actions. */
const ACTIONS = [
  'send',
  'sendTwice',
  'plain',
  'interrupting',
  'interrupt',
  'edit',
  'drop',
  'promote',
  'pause',
] as const;
type Action = (typeof ACTIONS)[number];

const look: ServerTool = {
  definition: { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } },
  run: () => Promise.resolve(toolSuccess('a cat')),
};

describeOnBothStores('The promise', (open) => {
  it('holds for any model and any client, with two workers on Postgres', { timeout: 240_000 }, () =>
    play(open()),
  );
});

async function play(store: Store): Promise<void> {
  const isShared = store.dialect === 'postgres';
  const names = fc.array(fc.constantFrom(...Object.keys(replies(0))), { minLength: 1, maxLength: 8 });
  const actions = fc.array(fc.constantFrom(...ACTIONS), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(names, actions, async (replied, asked) => {
      let calls = 0;
      const options = {
        store,
        tools: [look],
        script: ({ messages }: ScriptedTurn): ScriptedReply => {
          const n = lastNumber(messages);
          return replies(n)[replied[calls++ % replied.length] ?? 'valid'] ?? valid(n);
        },
        ports: { maxSteps: 12 },
      };
      await using server = await httpServer(options);
      // It receives no notifications, finds work by polling, and treats every other worker's lease
      // as expired.
      await using rival = isShared
        ? await testServer({ ...options, machine: { leaseMs: -1 }, sweepMs: 30 })
        : undefined;
      const { chatId, requestId } = await server.begin({ content: 'Count 1', response_format });
      const stream = follow(server, chatId);
      const accepted = new Map([[requestId, 1]]);
      for (const [index, action] of asked.entries()) {
        for (const id of await act(server, { chatId, number: index + 2 }, action)) {
          accepted.set(id, index + 2);
        }
      }
      await check(server, chatId, accepted, stream);
      expect(rival?.events.filter(({ level }) => level === 'error') ?? []).toEqual([]);
    }),
    { numRuns: isShared ? matrixRuns(2, 10) : matrixRuns(2, 24) },
  );
}

/** Number of the message to answer: the last one in the model's prompt. */
function lastNumber(messages: readonly TurnMessage[]): number {
  const texts = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
  const numbers = texts.flatMap((text) => /^Count (\d+)$/u.exec(text)?.[1] ?? []);
  return Number(numbers.at(-1));
}

interface Place {
  readonly chatId: string;
  /** Each message has a unique number that its answer must contain. */
  readonly number: number;
}

/**
 * Performs the action and returns the ids of accepted requests. Actions that are impossible in the
 * current state are refused, which is fine.
 */
async function act(server: HttpServer, { chatId, number }: Place, action: Action): Promise<string[]> {
  const path = `/api/chats/${chatId}`;
  const send = async (more: object, headers = {}): Promise<string[]> => {
    const { status, json } = await server.ask('POST', `${path}/messages`, {
      body: { content: `Count ${number}`, ...more },
      headers,
    });
    expect([200, 409, 429]).toContain(status);
    return typeof json['request_id'] === 'string' ? [json['request_id']] : [];
  };
  switch (action) {
    case 'send':
      return send({ response_format });
    case 'sendTwice': {
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const both = await Promise.all([
        send({ response_format }, headers),
        send({ response_format }, headers),
      ]);
      expect(new Set(both.flat()).size).toBeLessThan(2);
      return both.flat();
    }
    case 'plain':
      return send({});
    case 'interrupting':
      return send({ response_format, busy_behavior: 'interrupt' });
    case 'interrupt':
      await server.ask('POST', `${path}/interrupt`);
      return [];
    case 'edit': {
      const { messages } = await page(server, chatId);
      const own = messages.findLast(({ role }) => role === 'user');
      const { json, status } = await server.ask('PATCH', `${path}/messages/${own?.id ?? 1}`, {
        body: { content: `Count ${number}`, response_format },
      });
      expect([200, 400, 404, 409]).toContain(status);
      return typeof json['request_id'] === 'string' && status === 200 ? [json['request_id']] : [];
    }
    case 'drop':
    case 'promote': {
      const { json } = await server.ask('GET', `${path}/queue`);
      const { queued_messages: queued } = json as unknown as { queued_messages: readonly { id: number }[] };
      const last = `${path}/queue/${queued.at(-1)?.id ?? 1}`;
      const { status } =
        action === 'drop' ? await server.ask('DELETE', last) : await server.ask('POST', `${last}/promote`);
      expect([200, 204, 404, 409]).toContain(status);
      return [];
    }
    case 'pause':
      await new Promise((resolve) => {
        setTimeout(resolve, 25);
      });
      return [];
    default:
      return action satisfies never;
  }
}

async function check(
  server: HttpServer,
  chatId: string,
  accepted: ReadonlyMap<string, number>,
  stream: Followed,
): Promise<void> {
  await drain(server, chatId);
  const receipts = new Map<string, Receipt>();
  for (const [id, n] of accepted) {
    const receipt = (await server.receipt(chatId, id)) as unknown as Receipt;
    expect(['succeeded', 'failed', 'canceled']).toContain(receipt.status);
    expect(receipt.status === 'succeeded').toBe(receipt.value !== undefined);
    expect(receipt.status === 'succeeded').toBe(receipt.error === undefined);
    if (receipt.status === 'succeeded') {
      expect(isValid(receipt.value)).toBe(true);
      expect(receipt.value).toEqual({ n });
    }
    receipts.set(id, receipt);
  }
  const told = await stream.receiptsOf(new Set(accepted.keys()));
  for (const [id, receipt] of receipts) expect(told.get(id)).toEqual([receipt]);
  await server.turns.until(chatId, 'waiting', 'error');
  // Final receipts did not change.
  for (const [id, receipt] of receipts) expect(await server.receipt(chatId, id)).toEqual(receipt);
  const { messages } = await page(server, chatId);
  for (const [id, receipt] of receipts) {
    const turn = turnOf(messages, id);
    if (turn === undefined || receipt.status !== 'succeeded') continue;
    expect(extractStructuredOutputValue(turn)).toEqual(receipt.value);
  }
  expect(server.faults).toEqual([]);
  expect(server.turns.events.filter(({ level }) => level === 'error')).toEqual([]);
}

/**
 * Continues the queue after a turn that failed because the model's service failed. Only a client
 * can resume it.
 */
async function drain(server: HttpServer, chatId: string): Promise<void> {
  for (let left = 20; left > 0; left -= 1) {
    await server.turns.until(chatId, 'waiting', 'error');
    const { json } = await server.ask('GET', `/api/chats/${chatId}/queue`);
    const { queued_messages: queued } = json as unknown as { queued_messages: readonly { id: number }[] };
    const [first] = queued;
    if (first === undefined) return;
    await server.ask('POST', `/api/chats/${chatId}/queue/${first.id}/promote`);
  }
}

async function page(server: HttpServer, chatId: string): Promise<MessagePageView> {
  const { json } = await server.ask('GET', `/api/chats/${chatId}/messages?limit=200`);
  return json as unknown as MessagePageView;
}

/** The messages from the one that started the request to the user's next one. */
function turnOf(messages: readonly MessageView[], requestId: string): readonly MessageView[] | undefined {
  const from = messages.findIndex((message) => message.request_id === requestId);
  if (from === -1) return undefined;
  const length = messages.slice(from + 1).findIndex(({ role }) => role === 'user');
  return length === -1 ? messages.slice(from) : messages.slice(from, from + 1 + length);
}

interface Followed {
  /** Waits until these are final on the stream. Returns each final receipt that was reported. */
  receiptsOf(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, readonly Receipt[]>>;
}

/**
 * Follows the chat over connections that break after every few events, like a client on a train.
 */
function follow(server: HttpServer, chatId: string): Followed {
  const final = new Map<string, Receipt[]>();
  const leaving = new AbortController();
  let lastId: string | undefined;
  const take = (event: ChatStreamEvent): void => {
    if (event.type !== 'receipt' || ['queued', 'running'].includes(event.receipt.status)) return;
    const { request_id: id } = event.receipt;
    final.set(id, [...(final.get(id) ?? []), event.receipt]);
  };
  const connect = async (): Promise<void> => {
    let left = 6;
    const parser = createParser({
      onEvent({ id, data }) {
        if (left <= 0) return;
        left -= 1;
        const parsed = parseJson(data);
        take(toZod(chatStreamEvent).parse(parsed.success ? parsed.value : undefined));
        lastId = id ?? lastId;
      },
    });
    const { body } = await fetch(`${server.url}/api/chats/${chatId}/stream`, {
      headers: { authorization: `Bearer ${server.token}`, ...(lastId && { 'last-event-id': lastId }) },
      signal: leaving.signal,
    });
    const decoder = new TextDecoder();
    const chunks: ReadableStream<Uint8Array> | null = body;
    for await (const chunk of chunks ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (left <= 0) break;
    }
  };
  const running = (async () => {
    while (!leaving.signal.aborted) await connect();
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  return {
    receiptsOf: async (ids) => {
      for (let tries = 0; tries < 500 && [...ids].some((id) => !final.has(id)); tries += 1) {
        await new Promise((resolve) => {
          setTimeout(resolve, 20);
        });
      }
      leaving.abort();
      await running;
      return final;
    },
  };
}
