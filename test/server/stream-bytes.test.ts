/** Bytes of a streamed answer: its text is sent once while it grows, and again when it is committed. */
import { createParser } from 'eventsource-parser';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { chatStreamEvent } from '../../packages/client/src/wire/stream-event.ts';
import { toZod } from '../../packages/server/src/contract/to-zod.ts';
import type { ChatStreamEvent } from '../../packages/client/src/wire/stream-event.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { httpServer } from './http-server.ts';

const FORMAT = { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } };
const ANSWER = {
  records: Array.from({ length: 327 }, (_, id) => ({
    id,
    name: `Item number ${id}`,
    labels: ['crash', 'parser'],
    note: `The parser crashes on an empty file. Guard the empty case and add a test for it. Number ${id} of many such notes.`,
  })),
};

/** The model sends this many pieces of 16 characters, and then nothing more. */
const PIECES = 3_600;

/** Reads the data of a stream's events until one of them ends it. */
async function readUntil(
  url: string,
  token: string,
  isLast: (event: ChatStreamEvent) => boolean,
): Promise<string[]> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await fetch(url, { headers, signal: leaving.signal });
  const received: string[] = [];
  let isDone = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      received.push(data);
      isDone ||= isLast(toZod(chatStreamEvent).parse(JSON.parse(data)));
    },
  });
  const decoder = new TextDecoder();
  const chunks: ReadableStream<Uint8Array> = body!;
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (isDone) break;
  }
  leaving.abort();
  return received;
}

const store = await openStore({ url: ':memory:' });
afterAll(() => store.close());

it('an answer of 60 kB is sent as joined text, or with values that are sent ever more rarely', async () => {
  await using server = await httpServer({
    store,
    chunkChars: 16,
    script: () =>
      reply.cut({ afterChunks: PIECES, isSilent: true }, reply.tool(FINALIZER_NAME, { output: ANSWER })),
  });
  const size = JSON.stringify(ANSWER).length;
  expect(Math.round(size / 1_000)).toBe(60);
  const { chatId } = await server.begin({ content: 'List them', response_format: FORMAT });
  let text = '';
  let shown: unknown;
  const read = async (query: string): Promise<number> => {
    const url = `${server.url}/api/chats/${chatId}/stream${query}`;
    const events = await readUntil(url, server.token, (event) => {
      if (event.type === 'partial') shown = event.value;
      if (event.type !== 'part' || event.offset === undefined) return false;
      text = text.slice(0, event.offset) + event.delta;
      return text.length > size * 0.9;
    });
    return events.reduce((sum, data) => sum + Buffer.byteLength(data), 0);
  };
  const textBytes = await read('?partials=text');
  const whole = JSON.stringify({ output: ANSWER });
  expect(whole.startsWith(text)).toBe(true);
  expect(shown).toBeUndefined();
  expect(textBytes).toBeGreaterThan(size * 0.9);
  expect(textBytes).toBeLessThan(size * 1.5);
  const valueBytes = await read('');
  const { records } = z.object({ records: z.array(z.unknown()) }).parse(shown);
  expect(records.length).toBeGreaterThan(ANSWER.records.length / 2);
  expect(records.slice(0, -1)).toEqual(ANSWER.records.slice(0, records.length - 1));
  expect(valueBytes - textBytes).toBeLessThan(size * 5.5);
});

it('an answer of 60 kB is sent in 200 kB from its question to its receipt, with each value once', async () => {
  // A turn that ends before the stream begins, or within one flush, sends no parts.
  const isReading = Promise.withResolvers<void>();
  const script = async () => {
    await isReading.promise;
    return reply.tool(FINALIZER_NAME, { output: ANSWER }, { chunkDelayMs: 1 });
  };
  await using server = await httpServer({ store, chunkChars: 64, script });
  const { chatId, requestId } = await server.begin({ content: 'List them', response_format: FORMAT });
  const events: ChatStreamEvent[] = [];
  const read = async (query: string): Promise<number> => {
    events.length = 0;
    const url = `${server.url}/api/chats/${chatId}/stream${query}`;
    const received = await readUntil(url, server.token, (event) => {
      events.push(event);
      isReading.resolve();
      return event.type === 'status' && event.status === 'waiting';
    });
    return received.reduce((sum, data) => sum + Buffer.byteLength(data), 0);
  };
  const bytes = await read('?partials=text&values=once');
  expect(events.some(({ type }) => type === 'part')).toBe(true);
  expect(bytes).toBeLessThan(200_000);
  const receipts = events.flatMap((event) => (event.type === 'receipt' ? [event.receipt] : []));
  const { value, ...stored } = await server.receipt(chatId, requestId);
  expect(receipts.at(-1)).toEqual(stored);
  expect([JSON.parse(receipts.at(-1)?.value_text ?? ''), value]).toEqual([ANSWER, ANSWER]);
  const parts = events.flatMap((event) => (event.type === 'message' ? event.message.content : []));
  expect(parts.find(({ type }) => type === 'tool_call')).toMatchObject({ args: '{}' });
  expect(parts.find(({ type }) => type === 'tool_result')).toMatchObject({
    result: null,
    attempt: { code: 'ok' },
  });
  await read('');
  const whole = events.flatMap((event) => (event.type === 'message' ? event.message.content : []));
  expect(whole.find(({ type }) => type === 'tool_result')).toMatchObject({ result: ANSWER });
  expect(events.findLast((event) => event.type === 'receipt')?.receipt).toEqual({ ...stored, value });
});
