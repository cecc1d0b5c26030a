/** Parent and child chats: children stop with their parent's turn, and are deleted with it. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import { OWNER, prepareChat, testMachine, userMessage, type TestMachine } from './test-chats.ts';

interface Family {
  readonly machine: TestMachine;
  readonly chatId: string;
  readonly child: string;
}

/** A parent that runs or waits for its client, with a running child that has a queued message. */
async function family(
  machine: TestMachine,
  state: 'running' | 'requires_action' = 'running',
): Promise<Family> {
  const { chatId, fence } = await prepareChat(machine, 'running');
  const { chat } = await machine.createChat({
    owner: OWNER,
    model: 'scripted',
    message: userMessage('work', crypto.randomUUID()),
    parentId: chatId,
  });
  const more = { message: userMessage('more', crypto.randomUUID()), busyBehavior: 'queue' } as const;
  await machine.sendMessage({ owner: OWNER, chatId: chat.id, ...more });
  if (state === 'requires_action') {
    const key = { messageId: 2, toolCallId: 'call-1' };
    const part = { type: 'tool_result', tool_call_id: 'call-1', tool_name: 'look', result: 'seen' } as const;
    const results = [{ ...key, part: { ...part, is_error: false } }];
    const { fence: next } = await machine.commitToolResults(fence, { results });
    const call = { toolCallId: 'call-2', toolName: 'ask', inputHash: 'i', idempotentHint: false };
    const parts = [{ type: 'tool_call', tool_call_id: 'call-2', tool_name: 'ask', args: '{}' }] as const;
    const messages = [{ role: 'assistant', parts }] as const;
    const step = await machine.commitStep(next, { messages, calls: [{ ...call, runBy: 'client' }] });
    await machine.enterRequiresAction(step.fence);
  }
  return { machine, chatId, child: chat.id };
}

const now = { message: userMessage('now'), busyBehavior: 'interrupt' } as const;

describeOnBothStores('a child', (open) => {
  it.each<[string, 'running' | 'requires_action', (family: Family) => Promise<unknown>]>([
    ['is interrupted', 'running', ({ machine, chatId }) => machine.interrupt({ owner: OWNER, chatId })],
    [
      'waits for its client and is interrupted',
      'requires_action',
      ({ machine, chatId }) => machine.interrupt({ owner: OWNER, chatId }),
    ],
    [
      'is interrupted by a message',
      'running',
      ({ machine, chatId }) => machine.sendMessage({ owner: OWNER, chatId, ...now }),
    ],
    [
      'is interrupted by a message from its queue',
      'running',
      async ({ machine, chatId }) => {
        await machine.sendMessage({ owner: OWNER, chatId, ...now, busyBehavior: 'queue' });
        await machine.promoteQueued({ owner: OWNER, chatId, queuedId: 1 });
      },
    ],
    [
      'is edited',
      'running',
      ({ machine, chatId }) =>
        machine.editMessage({ owner: OWNER, chatId, messageId: 1, message: userMessage('other') }),
    ],
  ])('stops with its queue when its parent %s', async (_how, state, stop) => {
    const all = await family(testMachine(open()), state);
    const { machine, child } = all;
    const before = await machine.loadTurn(child);
    machine.runnable.length = 0;
    await stop(all);
    const { chat, queue, request } = await machine.loadTurn(child);
    expect([chat.status, queue]).toEqual(['interrupting', []]);
    expect(machine.runnable).toContain(child);
    const { fence } = await machine.acquire({ chatId: child, worker: 'worker-2' });
    await machine.finishInterruption(fence);
    const requests = [request?.requestId, before.queue[0]?.requestId].map(async (requestId = '') => {
      const { receipt } = await machine.readRequest({ owner: OWNER, requestId });
      return `${receipt.status} ${receipt.error?.code}`;
    });
    expect(await Promise.all(requests)).toEqual(['canceled interrupted', 'canceled queue_deleted']);
    expect((await machine.readChat({ owner: OWNER, chatId: child })).status).toBe('waiting');
  });

  it('that failed does not continue its queue when its parent is interrupted', async () => {
    const { machine, chatId, child } = await family(testMachine(open()));
    const { queue: before } = await machine.loadTurn(child);
    const { fence } = await machine.acquire({ chatId: child, worker: 'worker-2' });
    await machine.failTurn(fence, { error: { kind: 'auth', message: 'No key', isRetryable: false } });
    await machine.interrupt({ owner: OWNER, chatId });
    const { chat, queue } = await machine.loadTurn(child);
    expect([chat.status, chat.actionDeadline, queue]).toEqual(['error', undefined, []]);
    const requestId = before[0]?.requestId ?? '';
    const { receipt } = await machine.readRequest({ owner: OWNER, requestId });
    expect(receipt).toMatchObject({ status: 'canceled', error: { code: 'queue_deleted' } });
  });

  it.each<[string, (family: Family) => Promise<unknown>]>([
    ['is interrupted', ({ machine, chatId }) => machine.interrupt({ owner: OWNER, chatId })],
    ['is deleted', ({ machine, chatId }) => machine.deleteChat({ owner: OWNER, chatId })],
  ])('that is deleted concurrently does not cause a refusal when its parent %s', async (_how, stop) => {
    const store = open();
    const all = await family(testMachine(store));
    const gone = { deleted: 1, status: 'waiting', request_id: null, queue_length: 0 } as const;
    const begun = Promise.withResolvers<void>();
    const ending = store.transaction(async ({ db, dialect }) => {
      await db.updateTable('chats').set(gone).where('id', '=', all.child).execute();
      begun.resolve();
      // On SQLite no other transaction runs at the same time.
      while (dialect === 'postgres') {
        const { rows } =
          await sql`select 1 from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(db);
        if (rows.length > 0) break;
      }
    });
    await begun.promise;
    await Promise.all([ending, stop(all)]);
    expect(await all.machine.listChildren({ owner: OWNER, chatId: all.chatId })).toEqual([]);
  });

  it('continues when its parent receives a queued message', async () => {
    const { machine, chatId, child } = await family(testMachine(open()));
    await machine.sendMessage({ owner: OWNER, chatId, ...now, busyBehavior: 'queue' });
    expect((await machine.readChat({ owner: OWNER, chatId: child })).status).toBe('running');
  });

  it('is deleted with its parent, and its requests end', async () => {
    const { machine, chatId, child } = await family(testMachine(open()));
    const { request } = await machine.loadTurn(child);
    await machine.deleteChat({ owner: OWNER, chatId });
    await expect(machine.loadTurn(child)).rejects.toMatchObject({ code: 'chat-not-found' });
    const { receipt } = await machine.readRequest({ owner: OWNER, requestId: request?.requestId ?? '' });
    expect(receipt).toMatchObject({ status: 'canceled', error: { code: 'chat_deleted' } });
    expect(await machine.listChildren({ owner: OWNER, chatId })).toEqual([]);
  });

  it('can only be created by a running turn of its owner, and has no children', async () => {
    const { machine, chatId, child } = await family(testMachine(open()));
    const spawn = (parentId: string, owner = OWNER): Promise<unknown> =>
      machine.createChat({ owner, model: 'scripted', message: userMessage('x'), parentId });
    await expect(spawn(child)).rejects.toMatchObject({ code: 'not-allowed' });
    await expect(spawn(chatId, 'another')).rejects.toMatchObject({ code: 'chat-not-found' });
    await expect(spawn(crypto.randomUUID())).rejects.toMatchObject({ code: 'chat-not-found' });
    await machine.interrupt({ owner: OWNER, chatId });
    await expect(spawn(chatId)).rejects.toMatchObject({ code: 'not-allowed' });
    const listed = await machine.listChildren({ owner: OWNER, chatId });
    expect(listed.map(({ id }) => id)).toEqual([child]);
    expect(await machine.listChildren({ owner: 'another', chatId })).toEqual([]);
  });
});
