/** Queue order, fencing tokens, leases, and lossless text storage. */
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import { addToken, findToken, listTokens, revokeToken } from '../tokens/token-rows.ts';
import {
  OWNER,
  prepareChat,
  SUCCESS,
  testMachine,
  toolStep,
  userMessage,
  type TestMachine,
} from './test-chats.ts';

/** Strings that JSON allows and a database may reject. */
const HOSTILE = 'nul \u0000, lone \uD800 and \uDFFF, dle \u0010, pair \u{1F600}, "quote" \\ \u2028';

describeOnBothStores('the queue', (open) => {
  it('runs in the order of its promotion', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'running');
    for (const text of ['one', 'two', 'three']) await send(machine, chatId, text);
    await machine.promoteQueued({ owner: OWNER, chatId, queuedId: 3 });
    await machine.promoteQueued({ owner: OWNER, chatId, queuedId: 2 });
    expect((await machine.listQueue({ owner: OWNER, chatId })).map(({ id }) => id)).toEqual([2, 3, 1]);
    const { fence } = await takeOver(machine, chatId);
    await machine.finishInterruption(fence);
    const { messages, queue } = await machine.loadTurn(chatId);
    expect(messages.at(-1)?.parts).toEqual([{ type: 'text', text: 'two' }]);
    expect(queue.map(({ id }) => id)).toEqual([3, 1]);
  });

  it('holds at most as many messages as its cap', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'running');
    for (let count = 0; count < 20; count += 1) await send(machine, chatId, 'more');
    await expect(send(machine, chatId, 'too many')).rejects.toMatchObject({ code: 'queue-full', limit: 20 });
    expect((await machine.listQueue({ owner: OWNER, chatId })).length).toBe(20);
  });

  it('carries a message that interrupts', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    await send(machine, chatId, 'waiting');
    const sent = await machine.sendMessage({
      owner: OWNER,
      chatId,
      message: userMessage('now'),
      busyBehavior: 'interrupt',
    });
    expect([sent.chat.status, sent.queuedId, sent.messageId]).toEqual(['interrupting', 2, undefined]);
    await machine.finishInterruption(fence, {
      messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'So f' }] }],
    });
    const { messages } = await machine.loadTurn(chatId);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'tool', 'user']);
    expect(messages.at(-1)?.parts).toEqual([{ type: 'text', text: 'waiting' }]);
  });
});

describeOnBothStores('plan mode', (open) => {
  it('is refused while a request is open, and a request in plan mode', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    const message = userMessage('typed', crypto.randomUUID());
    await machine.sendMessage({ owner: OWNER, chatId, message, busyBehavior: 'queue' });
    const on = { owner: OWNER, chatId, planMode: true };
    const refused = machine.patchChat({ ...on, title: 'Not this' });
    await expect(refused).rejects.toMatchObject({ code: 'request-open' });
    expect((await machine.readChat(on)).title).toBe('');
    await machine.deleteQueued({ owner: OWNER, chatId, queuedId: 1 });
    expect((await machine.patchChat(on)).planMode).toBe(true);
    const again = userMessage('typed', crypto.randomUUID());
    const sending = { owner: OWNER, chatId, message: again, busyBehavior: 'queue' } as const;
    await expect(machine.sendMessage(sending)).rejects.toMatchObject({ code: 'plan-mode' });
    const off = { ...sending, message: { ...again, planMode: false } };
    expect((await machine.sendMessage(off)).queuedId).toBe(2);
    expect(await machine.heartbeat(fence)).toBe('running');
  });
});

describeOnBothStores('a worker', (open) => {
  it('keeps its chat while it sends heartbeats, and is refused once another holds it', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    const { version } = await machine.readChat({ owner: OWNER, chatId });
    machine.clock.nowMs += 25_000;
    expect(await machine.heartbeat(fence)).toBe('running');
    machine.clock.nowMs += 25_000;
    await expect(machine.acquire({ chatId, worker: 'two' })).rejects.toMatchObject({ code: 'leased' });
    expect((await machine.sweep()).runnable).not.toContain(chatId);
    expect((await machine.readChat({ owner: OWNER, chatId })).version).toBe(version);
    machine.clock.nowMs += 10_000;
    expect((await machine.sweep()).runnable).toContain(chatId);
    const taken = await machine.acquire({ chatId, worker: 'two' });
    expect(taken.fence.attempt).toBe(1);
    expect(await machine.heartbeat(fence)).toBe('lost');
    await expect(machine.commitStep(fence, toolStep('call-2', 'server'))).rejects.toMatchObject({
      code: 'superseded',
    });
    await expect(machine.release(fence)).rejects.toMatchObject({ code: 'superseded' });
  });

  it('is refused with a stale state from before an edit, a retry, or its own last commit', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    const retry = {
      attempt: 1,
      delayMs: 0,
      error: { kind: 'x', message: 'x', isRetryable: true },
    };
    await machine.recordRetry(fence, retry);
    await expect(machine.finishTurn(fence)).rejects.toMatchObject({ code: 'superseded' });
    const { fence: retried } = await machine.acquire({ chatId, worker: 'worker-2' });
    expect(retried.attempt).toBe(1);
    const { fence: stepped } = await machine.commitStep(retried, {
      messages: [{ role: 'assistant', parts: [] }],
    });
    expect(stepped.attempt).toBe(0);
    await expect(machine.finishTurn(retried)).rejects.toMatchObject({ code: 'superseded' });
    await machine.editMessage({ owner: OWNER, chatId, messageId: 1, message: userMessage('other') });
    await expect(machine.finishTurn(stepped)).rejects.toMatchObject({ code: 'superseded' });
  });

  it('is found for a chat whose lease table a crash of the server emptied', async () => {
    const store = open();
    const machine = testMachine(store);
    const { chatId, fence } = await prepareChat(machine, 'running');
    await store.db.deleteFrom('chat_leases').where('chat_id', '=', chatId).execute();
    expect((await machine.sweep()).runnable).toContain(chatId);
    expect(await machine.heartbeat(fence)).toBe('running');
    await machine.acquire({ chatId, worker: 'two' });
    await expect(machine.finishTurn(fence)).rejects.toMatchObject({ code: 'superseded' });
  });

  it('is requested after every commit that leaves work without one', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    expect(machine.runnable).toEqual([chatId]);
    await send(machine, chatId, 'more');
    await machine.finishTurn(fence);
    expect(machine.runnable).toEqual([chatId, chatId]);
    await machine.deleteChat({ owner: OWNER, chatId });
    expect(machine.runnable).toEqual([chatId, chatId]);
  });
});

describeOnBothStores('every text', (open) => {
  it('is returned unchanged, in every field', async () => {
    const machine = testMachine(open());
    const owner = `${HOSTILE} ${crypto.randomUUID()}`;
    const requestId = `${HOSTILE} ${crypto.randomUUID()}`;
    const format = {
      type: 'response_format',
      request_id: requestId,
      name: HOSTILE,
      description: HOSTILE,
      schema_text: HOSTILE,
      limits: { text_only: 1, max_repairs: 1 },
    } as const;
    const parts = [{ type: 'text', text: HOSTILE }] as const;
    const tool = { name: HOSTILE, description: HOSTILE, input_schema: { [HOSTILE]: HOSTILE } };
    const created = await machine.createChat({
      owner,
      id: `${HOSTILE} ${crypto.randomUUID()}`,
      model: HOSTILE,
      title: HOSTILE,
      systemPrompt: HOSTILE,
      dynamicTools: [tool],
      settings: { [HOSTILE]: HOSTILE },
      message: { parts, request: { format, schemaHash: HOSTILE } },
    });
    const chatId = created.chat.id;
    await machine.sendMessage({ owner, chatId, message: { parts }, busyBehavior: 'queue' });
    const { fence } = await machine.acquire({ chatId, worker: HOSTILE });
    const call = {
      type: 'tool_call',
      tool_call_id: HOSTILE,
      tool_name: HOSTILE,
      args: HOSTILE,
      provider_metadata: { [HOSTILE]: HOSTILE },
    } as const;
    const step = await machine.commitStep(fence, {
      messages: [{ role: 'assistant', parts: [call] }],
      calls: [
        { toolCallId: HOSTILE, toolName: HOSTILE, inputHash: HOSTILE, idempotentHint: true, runBy: 'client' },
      ],
    });
    await machine.enterRequiresAction(step.fence);
    await machine.submitToolResults({
      owner,
      chatId,
      results: [{ toolCallId: HOSTILE, output: { [HOSTILE]: [HOSTILE] } }],
    });
    const { chat, messages, queue, request } = await machine.loadTurn(chatId);
    expect([
      chat.model,
      chat.title,
      chat.systemPrompt,
      chat.dynamicTools,
      chat.settings,
      chat.ownerId,
    ]).toEqual([HOSTILE, HOSTILE, HOSTILE, [tool], { [HOSTILE]: HOSTILE }, owner]);
    expect(messages.map((message) => message.parts)).toEqual([
      [...parts, format],
      [call],
      [
        {
          type: 'tool_result',
          tool_call_id: HOSTILE,
          tool_name: HOSTILE,
          result: { [HOSTILE]: [HOSTILE] },
          is_error: false,
          ended_at: expect.stringMatching(/Z$/u),
        },
      ],
    ]);
    expect(queue[0]?.parts).toEqual(parts);
    expect([request?.schemaText, request?.receipt.schema_hash]).toEqual([HOSTILE, HOSTILE]);
    const last = await machine.acquire({ chatId, worker: HOSTILE });
    const value = { [HOSTILE]: HOSTILE };
    const ending = { ...SUCCESS, value_text: JSON.stringify(value), value_hash: HOSTILE, model: HOSTILE };
    await machine.finishTurn(last.fence, { ending });
    const { receipt } = await machine.readRequest({ owner, requestId });
    expect([receipt.value, receipt.value_hash, receipt.model]).toEqual([value, HOSTILE, HOSTILE]);
  });
});

describeOnBothStores('tokens', (open) => {
  it('are found by their hash until they are revoked', async () => {
    const store = open();
    const { db } = store;
    const token = {
      id: crypto.randomUUID(),
      owner: OWNER,
      name: 'laptop',
      hash: crypto.randomUUID(),
      scopes: ['chats', 'metrics'] as const,
      createdAt: 5,
      expiresAt: 7,
    };
    await addToken(db, token);
    const { hash, ...listed } = token;
    expect(await findToken(db, hash)).toEqual(listed);
    expect(await revokeToken(store, token.id, 9)).toBe(true);
    expect(await revokeToken(store, token.id, 10)).toBe(false);
    expect(await findToken(db, hash)).toBeUndefined();
    expect(await listTokens(db)).toContainEqual({ ...listed, revokedAt: 9 });
  });
});

async function send(machine: TestMachine, chatId: string, text: string): Promise<unknown> {
  return machine.sendMessage({ owner: OWNER, chatId, message: userMessage(text), busyBehavior: 'queue' });
}

async function takeOver(machine: TestMachine, chatId: string): ReturnType<TestMachine['acquire']> {
  machine.clock.nowMs += 60_000;
  return machine.acquire({ chatId, worker: 'two' });
}
