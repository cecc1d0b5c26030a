import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RequestRecord } from '../../packages/server/src/state/rows/chat-records.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { MODELS } from '../../packages/model/src/test-models.ts';
import { COUNT, newRequestId, submit } from './answers.ts';
import { message, OWNER, testServer, type TestServerOptions } from './test-server.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(async () => store.close());

const ANSWER = submit('{"output":{"n":1}}');

interface Failed {
  readonly record: RequestRecord;
  readonly calls: number;
  readonly tookMs: number;
  readonly status: string;
  readonly kind: string | undefined;
  readonly message: string | undefined;
}

async function play(options: Omit<TestServerOptions, 'store'>): Promise<Failed> {
  await using server = await testServer({ store, ...options });
  const requestId = newRequestId();
  const startedMs = performance.now();
  const chatId = await server.ask(message('Count', { requestId, schema: COUNT }));
  const tookMs = performance.now() - startedMs;
  const chat = await server.machine.readChat({ owner: OWNER, chatId });
  const record = await server.receipt(requestId);
  const calls = server.scripted.requests.length;
  return { record, calls, tookMs, status: chat.status, kind: chat.error?.kind, message: chat.error?.message };
}

it('waits for the time that a 429 response requests', async () => {
  const script = [reply.error(429, { retryAfterSeconds: 1 }), ANSWER];
  const { record, calls, tookMs } = await play({ script, ports: { backoffFactor: 1, random: () => 0 } });
  expect(record.status).toBe('succeeded');
  expect(calls).toBe(2);
  expect(tookMs).toBeGreaterThan(990);
});

it.each([500, 502, 503, 529, 408])('retries after status %d', async (statusCode) => {
  const { record, calls } = await play({ script: [reply.error(statusCode), ANSWER] });
  expect([record.status, calls]).toEqual(['succeeded', 2]);
  // A failed call is not a step: no part of it is an attempt.
  expect(record.receipt.attempts.map(({ code }) => code)).toEqual(['ok']);
});

it('aborts a silent stream, and retries', async () => {
  const script = [reply.cut({ afterChunks: 2, isSilent: true }, ANSWER), ANSWER];
  const { record, calls } = await play({ script, ports: { silenceMs: 2_000 } });
  expect([record.status, calls]).toEqual(['succeeded', 2]);
});

it('retries if the connection is lost during the answer, and discards the partial answer', async () => {
  const { record, calls } = await play({ script: [reply.cut({ afterChunks: 3 }, ANSWER), ANSWER] });
  expect([record.status, calls]).toEqual(['succeeded', 2]);
});

it('gives up after 25 calls: the chat is in error, its request failed', async () => {
  const failed = await play({ script: () => reply.error(503) });
  expect(failed).toMatchObject({ calls: 25, status: 'error', kind: 'overloaded' });
  expect(failed.record.receipt).toMatchObject({ status: 'failed', error: { code: 'generation_failed' } });
});

it.each([
  ['an account that is used up', reply.error(429, { code: 'insufficient_quota' }), 'usage_limit'],
  ['a key that is not accepted', reply.error(401), 'auth'],
  ['a request that is not allowed', reply.error(403), 'auth'],
  ['a request that is refused', reply.error(400, { message: 'Temperature is too high.' }), 'config'],
])('ends at once for %s', async (_name, refusal, kind) => {
  const failed = await play({ script: () => refusal });
  expect(failed).toMatchObject({ calls: 1, status: 'error', kind });
  const { error } = failed.record.receipt;
  expect(error).toEqual({ code: 'generation_failed', message: failed.message });
});

it('ends at once if the model refuses', async () => {
  const failed = await play({
    script: () => reply.text('I cannot.', { finishReason: 'refusal' }),
    ...(MODELS['anthropic'] && { model: MODELS['anthropic'] }),
  });
  expect(failed).toMatchObject({ calls: 1, status: 'waiting' });
  expect(failed.record.receipt).toMatchObject({
    status: 'failed',
    error: { code: 'structured_output_not_produced', reason: 'refused' },
    attempts: [{ code: 'refused' }],
  });
});

it('an endless answer fails the turn with its cause, after one call, and is not kept', async () => {
  const endless = reply.cut(
    { afterChunks: 900, isSilent: true },
    reply.text('on '.repeat(100_000), { chunkChars: 100 }),
  );
  const ports = { maxReplyBytes: 20_000 };
  await using server = await testServer({ store, script: () => endless, ports });
  const chatId = await server.ask(message('Hi'));
  expect((await server.messages(chatId)).map(({ role }) => role)).toEqual(['user']);
  const asked = await play({ script: () => endless, ports });
  expect(asked).toMatchObject({ calls: 1, status: 'error' });
  expect(asked.record.receipt.error).toMatchObject({
    message: expect.stringContaining('sent a reply that is too large') as string,
  });
});

it('a chat in error continues with the next message', async () => {
  await using server = await testServer({ store, script: [reply.error(401), ANSWER] });
  const chatId = await server.ask(message('Hi'));
  const requestId = newRequestId();
  const asked = message('Count', { requestId, schema: COUNT });
  await server.machine.sendMessage({ owner: OWNER, chatId, message: asked, busyBehavior: 'queue' });
  const { receipt } = await server.machine.waitForRequest({ owner: OWNER, requestId, waitMs: 10_000 });
  expect(receipt.status).toBe('succeeded');
});

it('a request that is queued behind a failed turn ends without a user action', async () => {
  await using server = await testServer({
    store,
    script: [reply.delay(1_000, reply.error(401)), ANSWER],
    machine: { errorHoldMs: 100 },
  });
  const asked = { owner: OWNER, model: 'test:scripted', message: message('Hi') };
  const { chat } = await server.machine.createChat(asked);
  const requestId = newRequestId();
  const queued = message('Count', { requestId, schema: COUNT });
  const sent = { owner: OWNER, chatId: chat.id, message: queued, busyBehavior: 'queue' } as const;
  expect((await server.machine.sendMessage(sent)).queuedId).toBe(1);
  const { receipt } = await server.machine.waitForRequest({ owner: OWNER, requestId, waitMs: 10_000 });
  expect(receipt.status).toBe('succeeded');
});

it('an interruption during the wait for a retry ends the turn at once', async () => {
  await using server = await testServer({
    store,
    script: [reply.error(429, { retryAfterSeconds: 600 })],
    ports: { backoffFactor: 1 },
  });
  const asked = { owner: OWNER, model: 'test:scripted', message: message('Hi') };
  const { chat } = await server.machine.createChat(asked);
  const where = { owner: OWNER, chatId: chat.id };
  while ((await server.machine.readChat(where)).retry === undefined) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  await server.machine.interrupt(where);
  await server.until(chat.id, 'waiting');
});
