/** Streams over real HTTP: contents, and exactly-once events across reconnects. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { describeOnBothStores } from '../../../../../test/describe-on-both-stores.ts';
import { matrixRow, matrixRuns } from '../../../../../test/matrix.ts';
import type { ChatStreamEvent, DurableEvent } from '@truecast/client/internal/wire/stream-event';
import { settleTurn, callClientTool, FORMAT, startServer, type TestServer } from '../test-server.ts';
import { cursorAt, readCursor } from './cursor.ts';
import { readEvents } from './durable-events.ts';
import { readChatStream, type ReadEvent } from './test-stream.ts';

describeOnBothStores('streams', ({ row, freshUrl }) => {
  const itInTurns = matrixRow(row, { rows: 2 });
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({
      url: await freshUrl(),
      limits: { requestsPerMinute: 100_000 },
      streamTimes: { pollMs: 200 },
    });
  });
  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  async function newChat(body: object = {}): Promise<{ id: string; requestId: string }> {
    const { json } = await server.ask('POST', '/api/chats', { body: { content: 'hello', ...body } });
    return { id: json.chat.id, requestId: json.request_id ?? '' };
  }

  const isIdle = ({ event }: ReadEvent): boolean => event.type === 'status' && event.status === 'waiting';

  itInTurns('sends the messages, the receipt and the status of a turn', async () => {
    const { id, requestId } = await newChat({ response_format: FORMAT });
    const reading = readChatStream(server, id, { until: isIdle });
    await settleTurn(server.machine, id, 'done', '{"n":1}');
    const events = (await reading).map(({ event }) => event);
    const messages = events.filter((event) => event.type === 'message').map(({ message }) => message.id);
    expect(messages).toEqual([1, 2, 3]);
    const receipts = events.filter((event) => event.type === 'receipt').map(({ receipt }) => receipt);
    expect(receipts.at(-1)).toMatchObject({ request_id: requestId, status: 'succeeded', value: { n: 1 } });
  });

  itInTurns('sends the calls that the client must run, and retries of model calls', async () => {
    const { id } = await newChat({ tools: [{ name: 'look', input_schema: {} }] });
    const { fence } = await server.machine.acquire({ chatId: id, worker: 'w' });
    const error = { kind: 'rate_limit', message: 'Later.', isRetryable: true, statusCode: 429 };
    await server.machine.recordRetry(fence, {
      attempt: 1,
      delayMs: 100,
      error,
    });
    const seen = await readChatStream(server, id, { until: ({ event }) => event.type === 'retry' });
    expect(seen.at(-1)?.event).toMatchObject({ type: 'retry', delay_ms: 100, error: { status_code: 429 } });
    // Another model is called at once.
    await server.machine.patchChat({ owner: await owner(), chatId: id, model: 'other' });
    await callClientTool(server.machine, id);
    const told = await readChatStream(server, id, { until: ({ event }) => event.type === 'action_required' });
    const calls = [{ tool_call_id: 'call-1', tool_name: 'look', args: '{"at":1}' }];
    expect(told.at(-1)?.event).toMatchObject({ type: 'action_required', tool_calls: calls });
  });

  itInTurns('streams partial text, and nothing of a committed call', async () => {
    const { id, requestId } = await newChat({ response_format: FORMAT });
    const { historyVersion } = await server.machine.readChat({ owner: await owner(), chatId: id });
    const episode = { chatId: id, historyVersion, attempt: 0 };
    server.live.publish({ ...episode, seq: 0, hints: [{ type: 'text-delta', text: 'Hel' }] });
    const reading = readChatStream(server, id, {
      until: ({ event }) => event.type === 'partial',
      onOpen: () => {
        server.live.publish({
          ...episode,
          historyVersion: 0,
          seq: 0,
          hints: [{ type: 'text-delta', text: 'old' }],
        });
        const delta = '{"output":{"n":1}';
        server.live.publish({
          ...episode,
          seq: 1,
          hints: [{ type: 'tool-input-delta', tool_call_id: 'call-1', delta, offset: 0 }],
        });
      },
    });
    const live = (await reading)
      .map(({ event }) => event)
      .filter(({ type }) => type === 'part' || type === 'partial');
    expect(live).toEqual([
      { type: 'part', kind: 'text', delta: 'Hel' },
      {
        type: 'part',
        kind: 'tool_call',
        tool_call_id: 'call-1',
        delta: '{"output":{"n":1}',
        request_id: requestId,
        offset: 0,
      },
      { type: 'partial', request_id: requestId, value: { n: 1 }, is_validated: false },
    ]);
  });

  itInTurns('reports the messages that an edit removed', async () => {
    const { id } = await newChat();
    const first = await readChatStream(server, id, { until: ({ event }) => event.type === 'status' });
    await server.ask('PATCH', `/api/chats/${id}/messages/1`, { body: { content: 'other' } });
    const lastId = first.at(-1)?.id ?? '';
    const after = await readChatStream(server, id, { lastId, until: ({ event }) => event.type === 'status' });
    expect(after[0]?.event).toEqual({ type: 'history_reset', deleted_message_ids: [1] });
    expect(after[1]?.event).toMatchObject({ type: 'message', message: { id: 2 } });
  });

  /** A turn whose last step submits the answer, as the tool of a model does. */
  async function submitTurn(id: string, text: string, n: number): Promise<void> {
    const valueText = JSON.stringify({ n });
    const { fence } = await server.machine.acquire({ chatId: id, worker: 'test' });
    const call = { tool_call_id: 'same-id', tool_name: FINALIZER_NAME };
    const accepted = {
      result: { n },
      is_error: false,
      result_text: valueText,
      attempt: { code: 'ok' },
    } as const;
    const step = await server.machine.commitStep(fence, {
      messages: [
        {
          role: 'assistant',
          parts: [
            { type: 'text', text },
            { type: 'tool_call', ...call, args: valueText },
          ],
        },
        { role: 'tool', parts: [{ type: 'tool_result', ...call, ...accepted }] },
      ],
    });
    const ending = { status: 'succeeded', value_text: valueText, attempts: [{ code: 'ok' }] } as const;
    await server.machine.finishTurn(step.fence, { ending });
  }

  itInTurns('reads a long history page by page, with each event and each value once', async () => {
    const { id } = await newChat({ response_format: FORMAT });
    for (let turn = 0; turn < 8; turn += 1) {
      // Pages end at each kind of message.
      const content = 'x'.repeat(turn * 60_000);
      await submitTurn(id, 'a'.repeat(60_000 + turn * 30_000), turn);
      await server.ask('POST', `/api/chats/${id}/messages`, {
        body: { content: `x${content}`, response_format: FORMAT },
      });
    }
    const events: DurableEvent[] = [];
    const pages: number[] = [];
    for (let cursor = cursorAt(0), isCut = true; isCut;) {
      const page = await readEvents(
        server.machine,
        { owner: await owner(), chatId: id, values: 'once' },
        cursor,
      );
      if (page === undefined) throw new TypeError('Expected a page.');
      // A client that lost its connection goes on with the id of the last event.
      cursor = readCursor(page.events.at(-1)?.id ?? '') ?? page.cursor;
      isCut = page.isCut;
      events.push(...page.events.map(({ event }) => event));
      pages.push(JSON.stringify(page.events).length);
    }
    expect(pages.length).toBeGreaterThan(2);
    expect(Math.max(...pages)).toBeLessThan(1_000_000);
    const messages = events.flatMap((event) => (event.type === 'message' ? [event.message] : []));
    expect(messages.map((message) => message.id)).toEqual(messages.map((_message, index) => index + 1));
    expect(messages).toHaveLength(8 * 4 + 1);
    const calls = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_call');
    expect(calls.map((call) => 'args' in call && call.args)).toEqual(Array.from({ length: 8 }, () => '{}'));
    const receipts = events
      .filter((event) => event.type === 'receipt')
      .map(({ receipt }) => receipt.value_text);
    expect(receipts).toEqual([...Array.from({ length: 8 }, (_each, turn) => `{"n":${turn}}`), undefined]);
    expect(events.at(-1)?.type).toBe('status');
  });

  itInTurns('refuses an id that no event of the stream has', async () => {
    const { id } = await newChat();
    for (const lastId of ['x', '99', '-1', '1-2-3', '5-5-9-0-1']) {
      const answer = await server.ask('GET', `/api/chats/${id}/stream`, {
        headers: { 'last-event-id': lastId },
      });
      expect([lastId, answer.status, answer.json.field]).toEqual([lastId, 400, 'Last-Event-ID']);
    }
  });

  itInTurns('ends when the chat is deleted', async () => {
    const { id } = await newChat();
    const reading = readChatStream(server, id, { until: () => false });
    await server.ask('DELETE', `/api/chats/${id}`);
    await reading;
    expect((await server.ask('GET', `/api/chats/${id}/stream`)).status).toBe(404);
  });

  /** Identity of a durable event. */
  function identity(event: ChatStreamEvent): string {
    if (event.type === 'message') return `message ${event.message.id}`;
    if (event.type === 'receipt') return `receipt ${event.receipt.request_id} ${event.receipt.status}`;
    if (event.type === 'status') return `status ${event.version}`;
    return JSON.stringify(event);
  }

  const CHANGES = {
    send: (id: string) =>
      server.ask('POST', `/api/chats/${id}/messages`, { body: { content: 'x', response_format: FORMAT } }),
    interrupting: (id: string) =>
      server.ask('POST', `/api/chats/${id}/messages`, { body: { content: 'y', busy_behavior: 'interrupt' } }),
    answer: (id: string) => settleTurn(server.machine, id, 'said', '{"n":2}').catch(() => undefined),
    // Two of them do not fit into one page.
    answerAtLength: (id: string) =>
      settleTurn(server.machine, id, 'said '.repeat(30_000), '{"n":2}').catch(() => undefined),
    edit: async (id: string) => {
      const { json } = await server.ask('GET', `/api/chats/${id}/messages`);
      const last = json.messages.findLast(({ role }) => role === 'user');
      return server.ask('PATCH', `/api/chats/${id}/messages/${last?.id}`, {
        body: { content: 'z', response_format: FORMAT },
      });
    },
  } as const;

  itInTurns('sends each durable event once, wherever the connection is cut', async () => {
    const change = fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[]));
    const step = fc.record({
      changes: fc.array(change, { maxLength: 3 }),
      readEvents: fc.integer({ min: 0, max: 4 }),
    });
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const { id } = await newChat({ response_format: FORMAT });
      const seen: ReadEvent[] = [];
      const lastId = (): { lastId?: string } => {
        const last = seen.findLast((received) => received.id !== undefined)?.id;
        return last === undefined ? {} : { lastId: last };
      };
      for (const { changes, readEvents } of steps) {
        for (const name of changes) await CHANGES[name](id);
        const { version } = await server.machine.readChat({ owner: await owner(), chatId: id });
        const isBehind = !seen.some(({ event }) => event.type === 'status' && event.version === version);
        if (readEvents === 0 || !isBehind) continue;
        const isAtEnd = ({ event }: ReadEvent): boolean =>
          event.type === 'status' && event.version === version;
        seen.push(
          ...(await readChatStream(server, id, {
            ...lastId(),
            until: (received, all) => all.length >= readEvents || isAtEnd(received),
          })),
        );
      }
      await server.ask('PATCH', `/api/chats/${id}`, { body: { title: 'the end' } });
      const { version } = await server.machine.readChat({ owner: await owner(), chatId: id });
      const isAtEnd = ({ event }: ReadEvent): boolean => event.type === 'status' && event.version === version;
      seen.push(...(await readChatStream(server, id, { ...lastId(), until: isAtEnd })));
      const names = seen.map(({ event }) => identity(event));
      expect(names).toEqual([...new Set(names)]);
      expect(await replay(seen)).toEqual(
        (await server.ask('GET', `/api/chats/${id}/messages?limit=200`)).json.messages,
      );
      const queues = seen.filter(({ event }) => event.type === 'queue_update').at(-1)?.event;
      const { json } = await server.ask('GET', `/api/chats/${id}/queue`);
      expect(queues?.type === 'queue_update' ? queues.queued_messages : []).toEqual(json.queued_messages);
    });
    await fc.assert(property, { numRuns: matrixRuns(5, 25) });
  });

  /** The client's history after these events. */
  async function replay(seen: readonly ReadEvent[]): Promise<unknown[]> {
    const messages = new Map<number, unknown>();
    for (const { event } of seen) {
      if (event.type === 'message') messages.set(event.message.id, event.message);
      if (event.type === 'history_reset') for (const gone of event.deleted_message_ids) messages.delete(gone);
    }
    return [...messages.values()];
  }

  async function owner(): Promise<string> {
    const row = await server.store.db
      .selectFrom('access_tokens')
      .select('owner')
      .where('name', '=', 'one')
      .executeTakeFirstOrThrow();
    return row.owner;
  }
});
