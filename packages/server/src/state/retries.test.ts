import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import { OWNER, prepareChat, testMachine, type PreparedChat, type TestMachine } from './test-chats.ts';

const ERROR = { kind: 'overloaded', message: 'Later.', isRetryable: true };
const HOUR_MS = 3_600_000;

async function waiting(machine: TestMachine): Promise<PreparedChat> {
  const chat = await prepareChat(machine, 'running');
  await machine.recordRetry(chat.fence, { attempt: 1, delayMs: HOUR_MS, error: ERROR });
  machine.runnable.length = 0;
  return chat;
}

describeOnBothStores('a chat that waits to repeat a model call', (open) => {
  it('has no worker, and is found by any sweep once the call is due, not before', async () => {
    const store = open();
    const machine = testMachine(store);
    const { chatId } = await waiting(machine);
    const other = testMachine(store);
    other.clock.nowMs = machine.clock.nowMs + HOUR_MS - 1;
    expect((await other.sweep()).runnable).not.toContain(chatId);
    await expect(other.acquire({ chatId, worker: 'two' })).rejects.toMatchObject({ code: 'not-allowed' });
    other.clock.nowMs += 1;
    expect((await other.sweep()).runnable).toContain(chatId);
    const { fence } = await other.acquire({ chatId, worker: 'two' });
    const chat = await other.readChat({ owner: OWNER, chatId });
    // No takeover: the failed call counts once.
    expect([chat.isAwaitingRetry, fence.attempt]).toEqual([false, 1]);
    expect(chat.retry).toMatchObject({ attempt: 1, delayMs: HOUR_MS, error: ERROR });
  });

  it('announces no work while it waits', async () => {
    const machine = testMachine(open());
    const { chatId } = await waiting(machine);
    await machine.patchChat({ owner: OWNER, chatId, title: 'Another' });
    expect(machine.runnable).toEqual([]);
    expect((await machine.readChat({ owner: OWNER, chatId })).isAwaitingRetry).toBe(true);
  });

  it('has work at once after an interruption, an edit, and a change of its model', async () => {
    const machine = testMachine(open());
    const first = await waiting(machine);
    await machine.interrupt({ owner: OWNER, chatId: first.chatId });
    const second = await waiting(machine);
    const message = { parts: [{ type: 'text', text: 'better' }] } as const;
    await machine.editMessage({ owner: OWNER, chatId: second.chatId, messageId: 1, message });
    const third = await waiting(machine);
    await machine.patchChat({ owner: OWNER, chatId: third.chatId, model: 'other' });
    const { runnable } = await machine.sweep();
    expect(runnable).toEqual(expect.arrayContaining([first.chatId, second.chatId, third.chatId]));
    expect(machine.runnable).toEqual([third.chatId]);
  });
});
