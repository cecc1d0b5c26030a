/**
 * Tool ledger: calls are reserved with their step, run once, and answered once. Client results
 * arrive in one submission.
 */
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import type { Store } from '@truecast/store/internal/database/store';
import { OWNER, testMachine, toolResult, toolStep, userMessage } from '../test-chats.ts';

describeOnBothStores('a tool call', (open) => {
  it('is claimed once, with the arguments of its step', async () => {
    const { machine, fence, key } = await called(open(), false);
    await expect(machine.claimTool(fence, { ...key, inputHash: 'other' })).rejects.toMatchObject({
      code: 'input-changed',
    });
    expect(await machine.claimTool(fence, { ...key, inputHash: 'input' })).toBe('claimed');
    await machine.commitToolResults(fence, { results: [toolResult(key.messageId, key.toolCallId)] });
  });

  it('is unknown after its worker was lost, and stays listed', async () => {
    const { machine, fence, key, chatId } = await called(open(), false);
    await machine.claimTool(fence, { ...key, inputHash: 'input' });
    machine.clock.nowMs += 60_000;
    const { fence: second } = await machine.acquire({ chatId, worker: 'two' });
    expect(await machine.claimTool(second, { ...key, inputHash: 'input' })).toBe('unknown');
    const result = { ...toolResult(key.messageId, key.toolCallId), effect: 'unknown' } as const;
    await machine.commitToolResults(second, { results: [result] });
    const [lost] = await machine.unknownExecutions({ owner: OWNER, chatId });
    expect(lost).toMatchObject({ toolCallId: 'call-1', status: 'unknown', isAnswered: true });
    expect(await machine.unknownExecutions({ owner: 'other' })).toEqual([]);
  });

  it('is claimed again if it is idempotent', async () => {
    const { machine, fence, key, chatId } = await called(open(), true);
    await machine.claimTool(fence, { ...key, inputHash: 'input' });
    machine.clock.nowMs += 60_000;
    const { fence: second } = await machine.acquire({ chatId, worker: 'two' });
    expect(await machine.claimTool(second, { ...key, inputHash: 'input' })).toBe('claimed');
  });

  it('is answered once', async () => {
    const { machine, fence, key } = await called(open(), false);
    const results = [toolResult(key.messageId, key.toolCallId)];
    const { fence: next } = await machine.commitToolResults(fence, { results });
    expect(await machine.claimTool(next, { ...key, inputHash: 'input' })).toBe('done');
    await expect(machine.commitToolResults(next, { results })).rejects.toMatchObject({
      code: 'unexpected-tool-result',
    });
  });

  it('is distinguished from a call with the same id in another step', async () => {
    const { machine, fence, key } = await called(open(), false);
    const answered = await machine.commitToolResults(fence, {
      results: [toolResult(key.messageId, 'call-1')],
    });
    const again = await machine.commitStep(answered.fence, toolStep('call-1', 'server'));
    const [messageId = 0] = again.messageIds;
    expect(
      await machine.claimTool(again.fence, { messageId, toolCallId: 'call-1', inputHash: 'input' }),
    ).toBe('claimed');
  });

  it('can be one of many calls in a step', async () => {
    const machine = testMachine(open());
    const { chat } = await machine.createChat({ owner: OWNER, model: 'm', message: userMessage('first') });
    const { fence } = await machine.acquire({ chatId: chat.id, worker: 'one' });
    const steps = Array.from({ length: 5_000 }, (_, at) => toolStep(`call-${at}`, 'server'));
    const parts = steps.flatMap(({ messages }) => messages.flatMap((message) => message.parts));
    const calls = steps.flatMap((step) => step.calls);
    const { fence: next, messageIds } = await machine.commitStep(fence, {
      messages: [{ role: 'assistant', parts }],
      calls,
    });
    const results = calls.map(({ toolCallId }) => toolResult(messageIds[0] ?? 0, toolCallId));
    await machine.commitToolResults(next, { results });
    const { messages, executions } = await machine.loadTurn(chat.id);
    expect(messages.at(-1)?.parts).toHaveLength(5_000);
    expect(executions).toEqual([]);
  });

  it('is answered by the server when its turn is interrupted: not run, or unknown', async () => {
    const { machine, fence, key, chatId } = await called(open(), false);
    await machine.claimTool(fence, { ...key, inputHash: 'input' });
    await machine.interrupt({ owner: OWNER, chatId });
    await machine.finishInterruption(fence, toolStep('call-2', 'server'));
    const { messages, executions } = await machine.loadTurn(chatId);
    expect(messages.at(-1)?.parts).toMatchObject([
      {
        tool_call_id: 'call-1',
        is_error: true,
        synthetic: 'unknown',
        result: expect.stringContaining('the turn was interrupted while it ran') as unknown,
      },
      { tool_call_id: 'call-2', is_error: true, synthetic: 'interrupted' },
    ]);
    expect(executions).toEqual([]);
    const unknown = await machine.unknownExecutions({ owner: OWNER, chatId });
    expect(unknown.map(({ toolCallId }) => toolCallId)).toEqual(['call-1']);
  });

  it('of a message that an edit removes is closed, and listed if it ran', async () => {
    const { machine, fence, key, chatId } = await called(open(), false);
    await machine.claimTool(fence, { ...key, inputHash: 'input' });
    await machine.editMessage({ owner: OWNER, chatId, messageId: 1, message: userMessage('better') });
    const { messages, executions } = await machine.loadTurn(chatId);
    expect([messages.map(({ role }) => role), executions]).toEqual([['user'], []]);
    expect(await machine.unknownExecutions({ owner: OWNER, chatId })).toHaveLength(1);
  });

  it('of the server never keeps a chat waiting for the client', async () => {
    const { machine, fence, key } = await called(open(), false);
    await expect(machine.enterRequiresAction(fence)).rejects.toMatchObject({ code: 'invalid-state' });
    const answered = await machine.commitToolResults(fence, {
      results: [toolResult(key.messageId, 'call-1')],
    });
    await expect(machine.enterRequiresAction(answered.fence)).rejects.toMatchObject({
      code: 'invalid-state',
    });
  });
});

describeOnBothStores('results of the client', (open) => {
  const REFUSED = [
    ['none', [], 'no-tool-results', undefined],
    ['two for one call', ['call-1', 'call-1'], 'duplicate-tool-result', 'call-1'],
    ['one missing', ['call-2'], 'missing-tool-result', 'call-1'],
    ['one of no call', ['call-1', 'call-2', 'call-3'], 'unexpected-tool-result', 'call-3'],
  ] as const;

  for (const [name, ids, code, subject] of REFUSED) {
    it(`are refused whole: ${name}`, async () => {
      const { machine, chatId } = await waiting(open());
      const before = await machine.loadTurn(chatId);
      const results = ids.map((toolCallId) => ({ toolCallId, output: null }));
      const submitting = machine.submitToolResults({ owner: OWNER, chatId, results });
      await expect(submitting).rejects.toMatchObject({ code, ...(subject !== undefined && { subject }) });
      expect(await machine.loadTurn(chatId)).toEqual(before);
    });
  }

  it('are refused if one is not JSON', async () => {
    const { machine, chatId } = await waiting(open());
    const results = [
      { toolCallId: 'call-1', output: 1 },
      { toolCallId: 'call-2', output: Number.NaN },
    ];
    const submitting = machine.submitToolResults({ owner: OWNER, chatId, results });
    await expect(submitting).rejects.toMatchObject({ code: 'invalid-tool-result', subject: 'call-2' });
  });

  it('are stored in the order of the calls, as one message', async () => {
    const { machine, chatId } = await waiting(open());
    const results = [
      { toolCallId: 'call-2', output: ['b'], isError: true },
      { toolCallId: 'call-1', output: { a: 1 } },
    ];
    expect((await machine.submitToolResults({ owner: OWNER, chatId, results })).status).toBe('running');
    const { messages } = await machine.loadTurn(chatId);
    expect(messages.at(-1)?.parts).toMatchObject([
      { tool_call_id: 'call-1', result: { a: 1 }, is_error: false },
      { tool_call_id: 'call-2', result: ['b'], is_error: true },
    ]);
  });

  it('are cut if they are too long for a prompt', async () => {
    const { machine, chatId } = await waiting(open());
    const results = [
      { toolCallId: 'call-1', output: 'x'.repeat(200_000) },
      { toolCallId: 'call-2', output: 1 },
    ];
    await machine.submitToolResults({ owner: OWNER, chatId, results });
    const { messages } = await machine.loadTurn(chatId);
    expect(JSON.stringify(messages.at(-1)?.parts).length).toBeLessThan(66_000);
  });

  it('are created by the server after the deadline, and not before', async () => {
    const { machine, chatId } = await waiting(open());
    machine.clock.nowMs += 299_999;
    await expect(machine.expireRequiresAction(chatId)).rejects.toMatchObject({ code: 'not-allowed' });
    machine.clock.nowMs += 1;
    expect((await machine.sweep()).expired).toContain(chatId);
    const { chat, messages } = await machine.loadTurn(chatId);
    expect([chat.status, chat.actionDeadline]).toEqual(['running', undefined]);
    expect(messages.at(-1)?.parts).toMatchObject([{ synthetic: 'deadline' }, { synthetic: 'deadline' }]);
  });

  it('are created by the server before an interrupting message', async () => {
    const { machine, chatId } = await waiting(open());
    const message = userMessage('never mind');
    const sent = await machine.sendMessage({ owner: OWNER, chatId, message, busyBehavior: 'interrupt' });
    expect([sent.chat.status, sent.messageId, sent.queuedId]).toEqual(['running', 4, undefined]);
    const { messages } = await machine.loadTurn(chatId);
    expect(messages.map(({ id, role }) => `${id} ${role}`)).toEqual([
      '1 user',
      '2 assistant',
      '3 tool',
      '4 user',
    ]);
    expect(messages[2]?.parts).toMatchObject([{ synthetic: 'canceled' }, { synthetic: 'canceled' }]);
  });
});

/** A turn whose step called a server tool. */
async function called(store: Store, idempotentHint: boolean) {
  const machine = testMachine(store);
  const { chat } = await machine.createChat({
    owner: OWNER,
    model: 'scripted',
    message: userMessage('first'),
  });
  const first = await machine.acquire({ chatId: chat.id, worker: 'worker-1' });
  const { fence, messageIds } = await machine.commitStep(
    first.fence,
    toolStep('call-1', 'server', idempotentHint),
  );
  return { machine, chatId: chat.id, fence, key: { messageId: messageIds[0] ?? 0, toolCallId: 'call-1' } };
}

/** A chat that waits for two results. */
async function waiting(store: Store) {
  const machine = testMachine(store);
  const { chat } = await machine.createChat({
    owner: OWNER,
    model: 'scripted',
    message: userMessage('first'),
  });
  const { fence } = await machine.acquire({ chatId: chat.id, worker: 'worker-1' });
  const [one, two] = [toolStep('call-1', 'client'), toolStep('call-2', 'client')];
  const parts = [one, two].flatMap(({ messages }) => messages).flatMap((message) => message.parts);
  const step = { messages: [{ role: 'assistant', parts }], calls: [...one.calls, ...two.calls] } as const;
  const asked = await machine.commitStep(fence, step);
  await machine.enterRequiresAction(asked.fence);
  return { machine, chatId: chat.id };
}
