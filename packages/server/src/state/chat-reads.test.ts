/** Reads: pages, changes since a version, stored responses, and isolation of owners. */
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import { idOfCall } from './client-ids/derived-id.ts';
import type { SentMessage } from './send-message.ts';
import {
  NOT_PRODUCED,
  OWNER,
  prepareChat,
  SUCCESS,
  testMachine,
  toolResult,
  toolStep,
  userMessage,
} from './test-chats.ts';

describeOnBothStores('readers', (open) => {
  it('page through the chats of one owner, the newest first', async () => {
    const machine = testMachine(open());
    const owner = crypto.randomUUID();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      machine.clock.nowMs += count % 2;
      ids.push((await machine.createChat({ owner, model: 'm', message: userMessage('hi') })).chat.id);
    }
    await machine.deleteChat({ owner, chatId: ids[2] ?? '' });
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await machine.listChats({
        owner,
        limit: 3,
        status: 'running',
        ...(after !== undefined && { after }),
      });
      seen.push(...page.chats.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(seen.toSorted()).toEqual(ids.filter((_, index) => index !== 2).toSorted());
    expect((await machine.listChats({ owner, limit: 3, status: 'error' })).chats).toEqual([]);
    expect((await machine.listChats({ owner: 'other', limit: 3, after: 'nonsense' })).chats).toEqual([]);
  });

  it('show the failure of the newest request that ended, and the newest value', async () => {
    const machine = testMachine(open());
    const ask = async (chatId: string | undefined, requestId: string) => {
      const message = userMessage('hi', requestId);
      if (chatId === undefined) return (await machine.createChat({ owner, model: 'm', message })).chat.id;
      await machine.sendMessage({ owner, chatId, message, busyBehavior: 'queue' });
      return chatId;
    };
    const owner = crypto.randomUUID();
    const shown = async () => {
      const { chats } = await machine.listChats({ owner, limit: 1, hasPreview: true });
      return [chats[0]?.valuePreview, chats[0]?.lastRequest?.receipt.error];
    };
    let chatId: string | undefined;
    const endings = [NOT_PRODUCED, SUCCESS, NOT_PRODUCED];
    for (const [index, ending] of endings.entries()) {
      machine.clock.nowMs += 1;
      chatId = await ask(chatId, crypto.randomUUID());
      const before = await shown();
      const { fence } = await machine.acquire({ chatId, worker: 'worker-1' });
      // A request that runs changes nothing.
      expect(await shown()).toEqual(before);
      await machine.finishTurn(fence, { ending });
      expect(await shown()).toEqual([
        index === 0 ? undefined : SUCCESS.value_text,
        ending === SUCCESS ? undefined : NOT_PRODUCED.error,
      ]);
    }
    expect((await machine.listChats({ owner, limit: 1 })).chats[0]).not.toHaveProperty('lastRequest');
  });

  it('page through messages from both ends', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    const messages = [3, 4, 5].map(
      (id) => ({ role: 'assistant', parts: [{ type: 'text', text: `${id}` }] }) as const,
    );
    await machine.commitStep(fence, {
      messages: [...messages, { role: 'user', visibility: 'model', parts: [] }],
    });
    const list = async (filter: { before?: number; after?: number }): Promise<string> => {
      const page = await machine.listMessages({ owner: OWNER, chatId, limit: 2, ...filter });
      return `${page.messages.map(({ id }) => id).join()} ${page.hasMore}`;
    };
    expect(await list({})).toBe('4,5 true');
    expect(await list({ before: 4 })).toBe('2,3 true');
    expect(await list({ before: 2 })).toBe('1 false');
    expect(await list({ after: 2 })).toBe('3,4 true');
    expect(await list({ after: 4 })).toBe('5 false');
    expect(await list({ after: 1, before: 5 })).toBe('3,4 true');
  });

  it('read a turn incrementally from an earlier read', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    const earlier = await machine.loadTurn(chatId);
    expect((await machine.loadTurn(chatId, earlier)).messages).toBe(earlier.messages);
    await machine.commitToolResults(fence, { results: [toolResult(2, 'call-1')] });
    const turn = await machine.loadTurn(chatId, earlier);
    expect(turn).toEqual(await machine.loadTurn(chatId));
    expect(turn.messages.slice(0, 2).map((message, at) => message === earlier.messages[at])).toEqual([
      true,
      true,
    ]);
  });

  it('return only the calls that wait for the client', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    const answered = await machine.commitToolResults(fence, { results: [toolResult(2, 'call-1')] });
    const [ours, theirs] = [toolStep('call-2', 'server'), toolStep('call-1', 'client')];
    const parts = [...ours.messages, ...theirs.messages].flatMap((message) => message.parts);
    const calls = [...ours.calls, ...theirs.calls];
    await machine.commitStep(answered.fence, { messages: [{ role: 'assistant', parts }], calls });
    expect(await machine.awaitedCalls(chatId)).toEqual([
      { type: 'tool_call', tool_call_id: 'call-1', tool_name: 'look', args: '{}' },
    ]);
  });

  it('find the run of a durable call in its part, before the call starts', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    const answered = await machine.commitToolResults(fence, { results: [toolResult(2, 'call-1')] });
    const [durable, other] = [toolStep('call-2', 'server', true), toolStep('call-3', 'server')];
    const parts = [...durable.messages, ...other.messages].flatMap((message) => message.parts);
    const calls = [...durable.calls.map((call) => ({ ...call, isDurable: true })), ...other.calls];
    const step = { messages: [{ role: 'assistant', parts }], calls } as const;
    const { messageIds } = await machine.commitStep(answered.fence, step);
    const [messageId = 0] = messageIds;
    const { messages } = await machine.listMessages({ owner: OWNER, chatId, limit: 1 });
    const call = { type: 'tool_call', tool_name: 'look', args: '{}' };
    expect(messages[0]?.parts).toEqual([
      { ...call, tool_call_id: 'call-2', run_id: idOfCall({ chatId, messageId, toolCallId: 'call-2' }) },
      { ...call, tool_call_id: 'call-3' },
    ]);
  });

  it('return the changes since a version, once', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'running');
    const since = (version: number) => machine.changesSince({ owner: OWNER, chatId, version });
    const { chat } = await machine.loadTurn(chatId);
    expect(await since(chat.version)).toBeUndefined();
    const message = userMessage('next', crypto.randomUUID());
    await machine.sendMessage({ owner: OWNER, chatId, message, busyBehavior: 'queue' });
    const queued = await since(chat.version);
    expect([queued?.messages, queued?.deletedIds, queued?.queue?.length, queued?.requests.length]).toEqual([
      [],
      [],
      1,
      1,
    ]);
    const edited = await machine.editMessage({
      owner: OWNER,
      chatId,
      messageId: 1,
      message: userMessage('better'),
    });
    const changes = await since(queued?.chat.version ?? 0);
    expect(changes?.messages.map(({ id }) => id)).toEqual([edited.messageId]);
    expect([changes?.deletedIds, changes?.queue]).toEqual([[1, 2], []]);
    expect(changes?.requests.map(({ status }) => status)).toEqual(['canceled']);
    expect(await since(edited.chat.version)).toBeUndefined();
  });

  it('are notified of a commit', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'running');
    const told = new Promise<void>((resolve) => {
      const stop = machine.onChat(chatId, () => {
        stop();
        resolve();
      });
    });
    await machine.patchChat({ owner: OWNER, chatId, title: 'Told' });
    await told;
  });

  it('find no chat of another owner, by any reading or change', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'requires_action+queue');
    const other = { owner: 'other', chatId };
    const message = userMessage('mine');
    const refused = await Promise.allSettled([
      machine.readChat(other),
      machine.listMessages({ ...other, limit: 5 }),
      machine.listQueue(other),
      machine.changesSince({ ...other, version: 0 }),
      machine.sendMessage({ ...other, message, busyBehavior: 'queue' }),
      machine.editMessage({ ...other, messageId: 1, message }),
      machine.deleteQueued({ ...other, queuedId: 1 }),
      machine.promoteQueued({ ...other, queuedId: 1 }),
      machine.interrupt(other),
      machine.submitToolResults({ ...other, results: [{ toolCallId: 'call-1', output: 1 }] }),
      machine.requestCompaction(other),
      machine.patchChat({ ...other, planMode: true }),
      machine.patchChat({ ...other, title: 'mine' }),
      machine.deleteChat(other),
    ]);
    const notFound = { status: 'rejected', reason: expect.objectContaining({ code: 'chat-not-found' }) };
    expect(refused).toEqual(refused.map(() => notFound));
  });
});

describeOnBothStores('an idempotency key', (open) => {
  it('stores the answer with the change, and returns it only for the same body', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'running');
    const key = { owner: OWNER, route: 'send', key: crypto.randomUUID(), bodyHash: 'body' };
    const respond = ({ queuedId }: SentMessage) => ({ status: 200, body: `{"queued":${queuedId}}` });
    const send = () =>
      machine.sendMessage({
        owner: OWNER,
        chatId,
        message: userMessage('once'),
        busyBehavior: 'queue',
        idempotency: { ...key, respond },
      });
    expect(await machine.readStoredResponse(key)).toBeUndefined();
    await send();
    await expect(send()).rejects.toMatchObject({ code: 'idempotency-taken' });
    expect((await machine.listQueue({ owner: OWNER, chatId })).length).toBe(1);
    expect(await machine.readStoredResponse(key)).toEqual({ status: 200, body: '{"queued":1}' });
    await expect(machine.readStoredResponse({ ...key, bodyHash: 'other' })).rejects.toMatchObject({
      code: 'idempotency-mismatch',
    });
    expect(await machine.readStoredResponse({ ...key, owner: 'other' })).toBeUndefined();
    await machine.sweep();
    machine.clock.nowMs += 24 * 60 * 60_000;
    await machine.sweep();
    expect((await machine.readStoredResponse(key))?.status).toBe(200);
    // One hour passes between two reads.
    machine.clock.nowMs += 59 * 60_000;
    await machine.sweep();
    expect((await machine.readStoredResponse(key))?.status).toBe(200);
    machine.clock.nowMs += 60_000;
    await machine.sweep();
    expect(await machine.readStoredResponse(key)).toBeUndefined();
  });

  it('lets one of two racing requests through', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'running');
    const idempotency = {
      route: 'send',
      key: crypto.randomUUID(),
      bodyHash: 'body',
      respond: () => ({ status: 200, body: '' }),
    };
    const send = () =>
      machine.sendMessage({
        owner: OWNER,
        chatId,
        message: userMessage('once'),
        busyBehavior: 'queue',
        idempotency,
      });
    const sent = await Promise.allSettled([send(), send(), send()]);
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await machine.listQueue({ owner: OWNER, chatId })).length).toBe(1);
  });
});

describeOnBothStores('a compaction', (open) => {
  it('is created once for the current messages, on request', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'waiting');
    expect((await machine.requestCompaction({ owner: OWNER, chatId })).isCompactionRequested).toBe(true);
    const { fence } = await machine.acquire({ chatId, worker: 'w' });
    const summary = {
      role: 'user',
      visibility: 'model',
      parts: [{ type: 'summary', text: 'So far' }],
    } as const;
    const compacted = await machine.commitCompaction(fence, { messages: [summary] });
    const { chat, messages } = await machine.loadTurn(chatId);
    expect([chat.isCompactionRequested, messages.at(-1)?.isCompressed]).toEqual([false, true]);
    await machine.finishTurn(compacted.fence);
    await expect(machine.requestCompaction({ owner: OWNER, chatId })).rejects.toMatchObject({
      code: 'nothing-to-compact',
    });
  });
});
