/**
 * Tests of a database that goes down while turns run and streams are open, and comes back: nothing
 * crashes, and everything continues.
 */
import { createParser } from 'eventsource-parser';
import { expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/create-client.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { parseJson } from '../../packages/core/src/json/parse-json.ts';
import { chatStreamEvent, type ChatStreamEvent } from '../../packages/client/src/wire/stream-event.ts';
import { toZod } from '../../packages/server/src/contract/to-zod.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import { postgresIsMissing, startPostgres } from '../postgres.ts';
import { httpServer, type HttpServer } from './http-server.ts';
import { untilFinal } from './steadfast-client.ts';
import { describeUnless } from '../needs.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema } };
/**
 * As long as a machine restart. Longer than leases, and longer than the retries of work that lost
 * its connection.
 */
const DOWN_MS = 30_000;
const PATIENCE = { timeout: 120_000 };
describeUnless(postgresIsMissing, 'a Postgres outage', () => {
  it('ends no turn and no stream, at any point of the turn', { timeout: 240_000 }, async () => {
    const postgres = await startPostgres();
    const store = await openStore({ url: await postgres.createDatabase(), onWarning: () => undefined });
    try {
      const server = await httpServer({
        store,
        tools: [slowTool],
        machine: { leaseMs: 3_000 },
        // Six in a lease. Each of four turns asks so often while the database is away.
        ports: { heartbeatMs: 500 },
        script: ({ lastToolResult, userText }) =>
          lastToolResult === undefined && userText.includes('tool')
            ? reply.tool('slow', {})
            : reply.delay(1_000, reply.toolText(FINALIZER_NAME, '{"output":{"n":7}}')),
        http: { streamTimes: { pollMs: 500, pingMs: 300 } },
      });
      await using _closing = server;
      const begun = await Promise.all(
        ['in the model', 'in the tool', 'with a tool', 'just the model'].map((content) =>
          server.begin({ content, response_format }),
        ),
      );
      const idle = await server.begin({ content: 'x', response_format });
      await server.receipt(idle.chatId, idle.requestId);
      const streams = await Promise.all(begun.map(({ chatId }) => follow(server, chatId)));
      const client = createClient({ baseURL: server.url, token: server.token, maxRetries: 8 });
      const waiting = Promise.all(
        begun.map(({ chatId, requestId }) => untilFinal(client.chat({ id: chatId }), requestId)),
      );
      const restarted = postgres.restart({ downMs: DOWN_MS });
      let isAway = true;
      void restarted.finally(() => (isAway = false));
      await expect.poll(async () => (await server.ask('GET', '/readyz')).status, PATIENCE).toBe(503);
      for (let looks = 0; looks < 5; looks += 1) {
        expect((await server.ask('GET', '/healthz')).status).toBe(200);
        const asked = await Promise.all(
          ['/readyz', `/api/chats/${idle.chatId}`].map((path) => server.ask('GET', path)),
        );
        for (const answer of asked) {
          expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });
        }
        await new Promise((resolve) => {
          setTimeout(resolve, 2_000);
        });
      }
      expect(isAway).toBe(true);
      await restarted;
      await expect.poll(async () => (await server.ask('GET', '/readyz')).status, PATIENCE).toBe(200);
      const told = await Promise.all(streams.map(({ events }) => events));
      const waited = await waiting;
      for (const [index, { chatId, requestId }] of begun.entries()) {
        const receipt = await server.receipt(chatId, requestId);
        expect(receipt).toMatchObject({ status: 'succeeded', value: { n: 7 } });
        expect(waited[index]).toEqual(receipt);
        const last = told[index]?.findLast((event) => event.type === 'receipt');
        expect(last?.receipt).toEqual(receipt);
        const ids = told[index]?.flatMap((event) => (event.type === 'message' ? [event.message.id] : []));
        expect(new Set(ids).size).toBe(ids?.length);
      }
    } finally {
      await store.close();
      await postgres.stop();
    }
  });
});

const slowTool: ServerTool = {
  definition: { name: 'slow', description: 'Takes a second.', inputSchema: { type: 'object' } },
  idempotentHint: true,
  run: () =>
    new Promise((resolve) => {
      setTimeout(() => resolve(toolSuccess('done')), 1_000);
    }),
};

interface Followed {
  /** Every event until the final receipt or the end of the stream. */
  readonly events: Promise<readonly ChatStreamEvent[]>;
}

/** Opens a stream on one connection. Returns after its first event: from then on it reads the rows. */
async function follow(server: HttpServer, chatId: string): Promise<Followed> {
  const leaving = new AbortController();
  const { body } = await fetch(`${server.url}/api/chats/${chatId}/stream`, {
    headers: { authorization: `Bearer ${server.token}` },
    signal: leaving.signal,
  });
  const opened = Promise.withResolvers<void>();
  const read = async (): Promise<readonly ChatStreamEvent[]> => {
    const events: ChatStreamEvent[] = [];
    let isDone = false;
    const parser = createParser({
      onEvent({ data }) {
        const parsed = parseJson(data);
        const event = toZod(chatStreamEvent).parse(parsed.success ? parsed.value : undefined);
        events.push(event);
        opened.resolve();
        isDone ||= event.type === 'receipt' && !['queued', 'running'].includes(event.receipt.status);
      },
    });
    const decoder = new TextDecoder();
    const chunks: ReadableStream<Uint8Array> | null = body;
    for await (const chunk of chunks ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (isDone) break;
    }
    leaving.abort();
    return events;
  };
  const events = read();
  await Promise.race([opened.promise, events]);
  return { events };
}
