/**
 * A queue that is held after an error: its user has time to act, and waiting clients have a
 * deadline.
 */
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import type { Chat } from './rows/chat-records.ts';
import { OWNER, prepareChat, testMachine, userMessage, type TestMachine } from './test-chats.ts';

const HOLD_MS = 60_000;

describeOnBothStores('a queue behind an error', (open) => {
  it('is held until the deadline of its chat, and then runs', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'error+queue');
    const { nowMs } = machine.clock;
    expect((await read(machine, chatId)).actionDeadline).toBe(nowMs + HOLD_MS);
    machine.clock.nowMs += HOLD_MS - 1;
    expect((await machine.sweep()).expired).not.toContain(chatId);
    await expect(machine.resumeQueue(chatId)).rejects.toMatchObject({ code: 'not-allowed' });
    machine.clock.nowMs += 1;
    expect((await machine.sweep()).expired).toContain(chatId);
    const chat = await read(machine, chatId);
    expect([chat.status, chat.queueLength, chat.error, chat.actionDeadline]).toEqual([
      'running',
      0,
      undefined,
      undefined,
    ]);
    expect(machine.runnable.at(-1)).toBe(chatId);
  });

  it('runs its head once, even with many concurrent sweeps', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'error+queue');
    machine.clock.nowMs += HOLD_MS;
    const sweeps = await Promise.all([machine.sweep(), machine.sweep(), machine.sweep()]);
    expect(sweeps.filter(({ expired }) => expired.includes(chatId)).length).toBe(1);
    const { messages } = await machine.loadTurn(chatId);
    expect(messages.filter(({ role }) => role === 'user').length).toBe(2);
  });

  it('is held again after each failed turn, until every request has its receipt', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'running');
    const requestIds = [crypto.randomUUID(), crypto.randomUUID()];
    for (const requestId of requestIds) {
      const message = userMessage('typed', requestId);
      await machine.sendMessage({ owner: OWNER, chatId, message, busyBehavior: 'queue' });
    }
    machine.clock.nowMs += HOLD_MS;
    await fail(machine, chatId);
    for (const requestId of requestIds) {
      machine.clock.nowMs += HOLD_MS;
      await machine.sweep();
      await fail(machine, chatId);
      const { receipt } = await machine.readRequest({ owner: OWNER, requestId });
      expect(receipt.error?.code).toBe('generation_failed');
    }
    const chat = await read(machine, chatId);
    expect([chat.status, chat.actionDeadline]).toEqual(['error', undefined]);
  });

  it('has no deadline after its last message is removed', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'error+queue');
    const { actionDeadline } = await machine.deleteQueued({ owner: OWNER, chatId, queuedId: 1 });
    expect(actionDeadline).toBeUndefined();
    machine.clock.nowMs += HOLD_MS;
    expect((await machine.sweep()).expired).not.toContain(chatId);
  });
});

function read(machine: TestMachine, chatId: string): Promise<Chat> {
  return machine.readChat({ owner: OWNER, chatId });
}

async function fail(machine: TestMachine, chatId: string): Promise<void> {
  const { fence } = await machine.acquire({ chatId, worker: 'worker' });
  await machine.failTurn(fence, { error: { kind: 'auth', message: 'No key.', isRetryable: false } });
}
