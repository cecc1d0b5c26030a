/** Receipts: exactly one per accepted request, committed with the ending, in order. */
import { expect, it, vi } from 'vitest';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import type { Store } from '@truecast/store/internal/database/store';
import type { RequestRecord } from './rows/chat-records.ts';
import { waitForRequest } from './receipts.ts';
import {
  NOT_PRODUCED,
  OWNER,
  SUCCESS,
  testMachine,
  toolStep,
  userMessage,
  type TestMachine,
} from './test-chats.ts';

const ERROR = { kind: 'timeout', message: 'Too slow.', isRetryable: true } as const;

describeOnBothStores('receipts', (open) => {
  it('succeed with the value, its text and the mode, in the transaction of the ending', async () => {
    const { machine, chatId, requestId, fence } = await asked(open());
    const chat = await machine.finishTurn(fence, {
      messages: [{ role: 'assistant', parts: [{ type: 'text', text: '{"a":1}' }] }],
      ending: { ...SUCCESS, value_hash: 'abc', mode: 'native', model: 'm', numbers_exact: true },
    });
    expect(chat.status).toBe('waiting');
    const { receipt, status } = await machine.readRequest({ owner: OWNER, chatId, requestId });
    expect(status).toBe('succeeded');
    expect(receipt).toMatchObject({
      value: { a: 1 },
      value_text: '{"a":1}',
      value_hash: 'abc',
      mode: 'native',
      numbers_exact: true,
      duration_ms: 0,
    });
    const { messages } = await machine.loadTurn(chatId);
    expect(messages.map(({ role, visibility }) => `${role} ${visibility}`)).toEqual([
      'user all',
      'assistant all',
      'assistant user',
    ]);
    expect(messages.at(-1)?.parts).toEqual([{ type: 'outcome', request_id: requestId, status: 'succeeded' }]);
  });

  it('have numbers by which lists are ordered, and the chat has those of its newest answer', async () => {
    const store = open();
    const { machine, chatId, requestId, fence } = await asked(store);
    machine.clock.nowMs += 250;
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cost_usd: 0.012_345,
    };
    await machine.finishTurn(fence, { ending: { ...SUCCESS, usage } });
    const numbers = { attempts: 1, duration_ms: 250, cost_micro_usd: 12_345 };
    const lastNumbers = (): Promise<unknown> =>
      store.db
        .selectFrom('chats')
        .select(['last_attempts as attempts', 'last_duration_ms as duration_ms'])
        .select('last_cost_micro_usd as cost_micro_usd')
        .where('id', '=', chatId)
        .executeTakeFirstOrThrow();
    expect(await lastNumbers()).toEqual(numbers);
    const row = await store.db
      .selectFrom('chat_requests')
      .select(['attempt_count as attempts', 'duration_ms', 'cost_micro_usd'])
      .where('id', '=', requestId)
      .executeTakeFirstOrThrow();
    expect(row).toEqual(numbers);
    // A canceled request is no answer, so the chat keeps its numbers.
    const next = crypto.randomUUID();
    await machine.sendMessage({
      owner: OWNER,
      chatId,
      message: userMessage('again', next),
      busyBehavior: 'queue',
    });
    const { fence: second } = await machine.acquire({ chatId, worker: 'worker-1' });
    await machine.finishTurn(second, {
      ending: { status: 'canceled', error: { code: 'interrupted', message: 'Stopped.' }, attempts: [] },
    });
    const { status } = await machine.readRequest({ owner: OWNER, requestId: next });
    expect(status).toBe('canceled');
    expect(await lastNumbers()).toEqual(numbers);
  });

  it('fail and leave the chat waiting when the answer was not produced', async () => {
    const { machine, fence, read } = await asked(open());
    expect((await machine.finishTurn(fence, { ending: NOT_PRODUCED })).status).toBe('waiting');
    expect((await read()).receipt.error).toMatchObject({
      code: 'structured_output_not_produced',
      reason: 'text_only',
    });
  });

  it('fail with generation_failed and leave the chat in error when the model could not be asked', async () => {
    const { machine, fence, read } = await asked(open());
    const chat = await machine.failTurn(fence, { error: ERROR });
    expect([chat.status, chat.error]).toEqual(['error', ERROR]);
    expect((await read()).receipt.error?.code).toBe('generation_failed');
  });

  it('are canceled by an interruption, an edit, the deletion of the queued message, and that of the chat', async () => {
    const codes = [];
    for (const end of [interrupted, edited, unqueued, deleted]) {
      const { receipt } = await end(open());
      codes.push(`${receipt.status} ${receipt.error?.code}`);
    }
    expect(codes).toEqual([
      'canceled interrupted',
      'canceled superseded',
      'canceled queue_deleted',
      'canceled chat_deleted',
    ]);
  });

  it('are all written when an edit clears the queue', async () => {
    const { machine, chatId, read } = await asked(open());
    const queued = crypto.randomUUID();
    await machine.sendMessage({
      owner: OWNER,
      chatId,
      message: userMessage('two', queued),
      busyBehavior: 'queue',
    });
    const edit = { owner: OWNER, chatId, messageId: 1, message: userMessage('better') };
    expect((await machine.editMessage(edit)).deletedIds).toEqual([1]);
    expect((await read()).receipt.error?.code).toBe('superseded');
    expect((await machine.readRequest({ owner: OWNER, requestId: queued })).receipt.error?.code).toBe(
      'superseded',
    );
  });

  it('are placed between the results of canceled calls and the promoted message', async () => {
    const { machine, chatId, fence } = await asked(open());
    const next = crypto.randomUUID();
    await machine.sendMessage({
      owner: OWNER,
      chatId,
      message: userMessage('two', next),
      busyBehavior: 'queue',
    });
    const step = await machine.commitStep(fence, toolStep('call-1', 'client'));
    await machine.enterRequiresAction(step.fence);
    const chat = await machine.interrupt({ owner: OWNER, chatId });
    expect([chat.status, chat.requestId]).toEqual(['running', next]);
    const { messages } = await machine.loadTurn(chatId);
    expect(messages.map(({ role, parts }) => `${role} ${parts.map(({ type }) => type).join()}`)).toEqual([
      'user text,response_format',
      'assistant tool_call',
      'tool tool_result',
      'assistant outcome',
      'user text,response_format',
    ]);
  });

  it('report the progress of the turn when the machine ended it', async () => {
    const { machine, chatId, fence, read } = await asked(open());
    const usage = { inputTokens: 5, outputTokens: 7, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    const facts = { finishReason: 'stop', model: 'scripted-2', usage, mode: 'tool_auto' } as const;
    const told = { type: 'text', text: 'Prose' } as const;
    await machine.commitStep(fence, {
      messages: [
        { role: 'assistant', parts: [told], step: facts },
        {
          role: 'user',
          visibility: 'model',
          parts: [
            {
              type: 'corrective',
              request_id: (await read()).requestId,
              text: 'Again.',
              attempt: { code: 'text_only', mode: 'tool_auto' },
            },
          ],
        },
      ],
    });
    await machine.editMessage({ owner: OWNER, chatId, messageId: 1, message: userMessage('better') });
    expect((await read()).receipt).toMatchObject({
      status: 'canceled',
      attempts: [{ code: 'text_only', mode: 'tool_auto' }],
      mode: 'tool_auto',
      model: 'scripted-2',
      usage: { input_tokens: 5, output_tokens: 7 },
    });
  });

  it('are written even if a row of the turn is unreadable', async () => {
    const store = open();
    const { machine, chatId, read } = await asked(store);
    await store.db
      .updateTable('chat_messages')
      .set({ parts: '[{"type":"of another time"}]' })
      .where('chat_id', '=', chatId)
      .execute();
    await expect(machine.loadTurn(chatId)).rejects.toMatchObject({ code: 'invalid-state' });
    await machine.editMessage({ owner: OWNER, chatId, messageId: 1, message: userMessage('better') });
    expect((await read()).receipt).toMatchObject({ status: 'canceled', error: { code: 'superseded' } });
    expect((await machine.loadTurn(chatId)).messages).toHaveLength(1);
  });

  it('stay canceled when an answer comes after the interruption', async () => {
    const { machine, chatId, fence, read } = await asked(open());
    await machine.interrupt({ owner: OWNER, chatId });
    await machine.finishInterruption(fence, { ending: SUCCESS });
    expect((await read()).receipt).toMatchObject({ status: 'canceled', error: { code: 'interrupted' } });
  });

  it('are required if a request is open, and refused otherwise', async () => {
    const { machine, chatId, fence, read } = await asked(open());
    await expect(machine.finishTurn(fence)).rejects.toMatchObject({ code: 'receipt-missing' });
    expect((await read()).status).toBe('running');
    await machine.finishTurn(fence, { ending: SUCCESS });
    await machine.sendMessage({ owner: OWNER, chatId, message: userMessage('plain'), busyBehavior: 'queue' });
    const plain = await machine.acquire({ chatId, worker: 'worker-1' });
    await expect(machine.finishTurn(plain.fence, { ending: SUCCESS })).rejects.toMatchObject({
      code: 'request-ended',
    });
  });

  it('roll back with their ending, and the ending with them', async () => {
    const store = open();
    const { machine, chatId, requestId, fence, read } = await asked(store);
    // A damaged database: the row has its receipt, but the chat's row does not show that.
    await store.db
      .updateTable('chat_requests')
      .set({ status: 'canceled', error: '{"code":"interrupted","message":"Over."}', ended_at: 5 })
      .where('id', '=', requestId)
      .execute();
    const before = await machine.loadTurn(chatId);
    const finish = { messages: [{ role: 'assistant', parts: [] }], ending: SUCCESS } as const;
    await expect(machine.finishTurn(fence, finish)).rejects.toMatchObject({ code: 'request-ended' });
    expect(await machine.loadTurn(chatId)).toEqual(before);
    expect((await read()).receipt.error?.code).toBe('interrupted');
  });

  it('are one when two workers race to finish', async () => {
    const store = open();
    const { machine, chatId, fence, read } = await asked(store);
    const other = testMachine(store);
    const endings = await Promise.allSettled([
      machine.finishTurn(fence, { ending: SUCCESS }),
      other.finishTurn(fence, { ending: NOT_PRODUCED }),
    ]);
    expect(endings.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = endings.find((ending) => ending.status === 'rejected');
    expect(lost?.reason).toMatchObject({ code: 'superseded' });
    expect((await read()).status).toBe(endings[0].status === 'fulfilled' ? 'succeeded' : 'failed');
    expect((await machine.loadTurn(chatId)).messages).toHaveLength(2);
  });

  it('are waited for until the ending, but not past the timeout', async () => {
    const { machine, requestId, fence } = await asked(open());
    const early = await machine.waitForRequest({ owner: OWNER, requestId, waitMs: 20 });
    expect(early.status).toBe('running');
    const waiting = machine.waitForRequest({ owner: OWNER, requestId, waitMs: 30_000 });
    await machine.finishTurn(fence, { ending: SUCCESS });
    expect((await waiting).status).toBe('succeeded');
    const gone = AbortSignal.abort();
    expect(
      (await machine.waitForRequest({ owner: OWNER, requestId, waitMs: 9_000, signal: gone })).status,
    ).toBe('succeeded');
  });

  it.each([
    { scope: 'any chat', isInChat: false },
    { scope: 'its chat', isInChat: true },
  ])(
    'are seen at once by a client of $scope if they end while its read is under way',
    async ({ isInChat }) => {
      const { machine, store, chatId, requestId, fence } = await asked(open());
      const late = Promise.withResolvers<void>();
      // The first read is delayed until the ending is committed and its hint was sent.
      let held: Promise<void> | undefined = late.promise;
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          await held;
          held = undefined;
          return result;
        },
      });
      const hinted = Promise.withResolvers<void>();
      const forget = machine.onChat(chatId, () => hinted.resolve());
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      try {
        const wait = { owner: OWNER, requestId, waitMs: 30_000, ...(isInChat && { chatId }) };
        const waiting = waitForRequest(db, machine, wait);
        await machine.finishTurn(fence, { ending: SUCCESS });
        await hinted.promise;
        late.resolve();
        // No timer runs: a notification that is missing now will never arrive.
        expect((await waiting).status).toBe('succeeded');
      } finally {
        vi.useRealTimers();
        forget();
      }
    },
  );

  it('are read by a waiting client only when their request ends', async () => {
    const { machine, store, chatId, requestId, fence } = await asked(open());
    let reads = 0;
    const firstRead = Promise.withResolvers<void>();
    const db = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        reads += 1;
        firstRead.resolve();
        return result;
      },
    });
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const waiting = waitForRequest(db, machine, { owner: OWNER, requestId, chatId, waitMs: 30_000 });
      // Another connection of the pool would otherwise sometimes commit the end before this read.
      await firstRead.promise;
      const step = { messages: [{ role: 'assistant', parts: [] }] } as const;
      const { fence: later } = await machine.commitStep(fence, step);
      const message = userMessage('two', crypto.randomUUID());
      await machine.sendMessage({ owner: OWNER, chatId, message, busyBehavior: 'queue' });
      await machine.finishTurn(later, { ending: SUCCESS });
      expect((await waiting).status).toBe('succeeded');
    } finally {
      vi.useRealTimers();
    }
    // The first read, and the read after the end.
    expect(reads).toBe(2);
  });

  it('are hidden from other owners', async () => {
    const { machine, requestId } = await asked(open());
    await expect(machine.readRequest({ owner: 'other', requestId })).rejects.toMatchObject({
      code: 'request-not-found',
    });
    await expect(machine.readRequest({ owner: OWNER, requestId, chatId: 'other' })).rejects.toMatchObject({
      code: 'request-not-found',
    });
  });
});

/** A leased chat whose first message has a response format. */
async function asked(store: Store) {
  const machine = testMachine(store);
  const requestId = crypto.randomUUID();
  const message = userMessage('first', requestId);
  const { chat } = await machine.createChat({ owner: OWNER, model: 'scripted', message });
  const { fence } = await machine.acquire({ chatId: chat.id, worker: 'worker-1' });
  const read = (): Promise<RequestRecord> => machine.readRequest({ owner: OWNER, requestId });
  return { machine, store, chatId: chat.id, requestId, fence, read };
}

async function interrupted(store: Store): Promise<RequestRecord> {
  const { machine, chatId, fence, read } = await asked(store);
  await machine.interrupt({ owner: OWNER, chatId });
  const kept = { role: 'assistant', parts: [{ type: 'text', text: 'So f' }] } as const;
  await machine.finishInterruption(fence, { messages: [kept] });
  expect((await machine.loadTurn(chatId)).messages[1]?.parts).toEqual(kept.parts);
  return read();
}

async function edited(store: Store): Promise<RequestRecord> {
  const { machine, chatId, fence, read } = await asked(store);
  const again = crypto.randomUUID();
  await machine.editMessage({ owner: OWNER, chatId, messageId: 1, message: userMessage('better', again) });
  await expect(machine.finishTurn(fence, { ending: SUCCESS })).rejects.toMatchObject({ code: 'superseded' });
  expect((await machine.readRequest({ owner: OWNER, requestId: again })).status).toBe('running');
  return read();
}

async function unqueued(store: Store): Promise<RequestRecord> {
  const { machine, chatId } = await asked(store);
  return afterQueued(machine, chatId, async (queuedId) =>
    machine.deleteQueued({ owner: OWNER, chatId, queuedId }),
  );
}

async function deleted(store: Store): Promise<RequestRecord> {
  const { machine, chatId, read } = await asked(store);
  const queued = await afterQueued(machine, chatId, async () => machine.deleteChat({ owner: OWNER, chatId }));
  expect(queued.receipt.error?.code).toBe('chat_deleted');
  await expect(machine.readChat({ owner: OWNER, chatId })).rejects.toMatchObject({ code: 'chat-not-found' });
  return read();
}

async function afterQueued(
  machine: TestMachine,
  chatId: string,
  end: (queuedId: number) => Promise<unknown>,
): Promise<RequestRecord> {
  const requestId = crypto.randomUUID();
  const message = userMessage('two', requestId);
  const { queuedId = 0 } = await machine.sendMessage({
    owner: OWNER,
    chatId,
    message,
    busyBehavior: 'queue',
  });
  expect((await machine.readRequest({ owner: OWNER, requestId })).status).toBe('queued');
  await end(queuedId);
  return machine.readRequest({ owner: OWNER, requestId });
}
