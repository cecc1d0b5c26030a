import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import { DEADLINE_SECONDS, OWNER, prepareChat, testMachine, userMessage } from './test-chats.ts';

const DEADLINE_MS = DEADLINE_SECONDS * 1_000;
const EXCEEDED = { status: 'failed', error: { code: 'deadline_exceeded' } };

describeOnBothStores('a request with a deadline', (open) => {
  it('fails once it passed while the chat waits for a model, not before', async () => {
    const machine = testMachine(open());
    const requestId = crypto.randomUUID();
    const { chatId, fence } = await prepareChat(machine, 'running', requestId);
    const error = { kind: 'overloaded', message: 'Later.', isRetryable: true };
    await machine.recordRetry(fence, { attempt: 1, delayMs: DEADLINE_MS * 2, error });
    machine.clock.nowMs += DEADLINE_MS - 1;
    await machine.sweep();
    expect((await machine.readRequest({ owner: OWNER, requestId })).status).toBe('running');
    machine.clock.nowMs += 1;
    expect((await machine.sweep()).overdue).toBeGreaterThanOrEqual(1);
    expect((await machine.readRequest({ owner: OWNER, requestId })).receipt).toMatchObject(EXCEEDED);
    expect(await machine.readChat({ owner: OWNER, chatId })).toMatchObject({ status: 'waiting' });
  });

  it('takes the turn from its worker, whose next commit is refused', async () => {
    const machine = testMachine(open());
    const requestId = crypto.randomUUID();
    const { fence } = await prepareChat(machine, 'running', requestId);
    machine.clock.nowMs += DEADLINE_MS;
    await machine.sweep();
    expect(await machine.readStanding(fence)).toBe('lost');
    await expect(machine.finishTurn(fence)).rejects.toMatchObject({ code: 'superseded' });
    expect((await machine.readRequest({ owner: OWNER, requestId })).receipt).toMatchObject(EXCEEDED);
  });

  it('leaves the queue with its message, also behind a turn that goes on', async () => {
    const machine = testMachine(open());
    const { chatId } = await prepareChat(machine, 'running');
    const requestId = crypto.randomUUID();
    const message = userMessage('next', requestId);
    await machine.sendMessage({ owner: OWNER, chatId, message, busyBehavior: 'queue' });
    machine.clock.nowMs += DEADLINE_MS;
    await machine.sweep();
    expect((await machine.readRequest({ owner: OWNER, requestId })).receipt).toMatchObject(EXCEEDED);
    expect(await machine.readChat({ owner: OWNER, chatId })).toMatchObject({
      status: 'running',
      queueLength: 0,
    });
  });

  it('is left to its worker while an interruption ends it', async () => {
    const machine = testMachine(open());
    const requestId = crypto.randomUUID();
    const { fence } = await prepareChat(machine, 'interrupting', requestId);
    machine.clock.nowMs += DEADLINE_MS;
    await machine.sweep();
    await machine.finishInterruption(fence);
    const { receipt } = await machine.readRequest({ owner: OWNER, requestId });
    expect(receipt).toMatchObject({ status: 'canceled', error: { code: 'interrupted' } });
  });
});
