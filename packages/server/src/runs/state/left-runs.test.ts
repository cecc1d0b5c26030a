/** Tests of runs that chats have asked for: one run per id, and the cancellation of those that no call waits for. */
import assert from 'node:assert/strict';
import { beforeEach, expect, it } from 'vitest';
import type { Store } from '@truecast/store/internal/database/store';
import { describeOnBothStores } from '../../../../../test/describe-on-both-stores.ts';
import { idOfCall } from '../../state/client-ids/derived-id.ts';
import { prepareChat, testMachine, toolResult, type PreparedChat } from '../../state/test-chats.ts';
import { OFFERS, RUN_OWNER, runRequest, testRuns } from './test-runs.ts';

const chats: Record<string, (chat: PreparedChat, store: Store) => Promise<unknown>> = {
  answered: ({ fence, callId }, store) =>
    testMachine(store).commitToolResults(fence, { results: [toolResult(callId, 'call-1')] }),
  'being interrupted': ({ chatId }, store) => testMachine(store).interrupt({ owner: RUN_OWNER, chatId }),
  interrupted: async ({ chatId, fence }, store) => {
    await testMachine(store).interrupt({ owner: RUN_OWNER, chatId });
    await testMachine(store).finishInterruption(fence, {});
  },
  deleted: ({ chatId }, store) => testMachine(store).deleteChat({ owner: RUN_OWNER, chatId }),
};

describeOnBothStores('a run of a chat', ({ open }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  async function start() {
    const chat = await prepareChat(testMachine(store), 'running');
    const { chatId, callId } = chat;
    const run = {
      id: idOfCall({ chatId, messageId: callId, toolCallId: 'call-1' }),
      owner: RUN_OWNER,
      request: runRequest(),
      parent: { id: chatId, relation: 'chat' },
    } as const;
    const machine = testRuns(store, { queuedPerOwner: 1 });
    await machine.createRun(run);
    return { chat, machine, run };
  }

  it('is created once for its id, also when the queue is full', async () => {
    const { machine, run } = await start();
    expect(await machine.createRun(run)).toMatchObject({
      id: run.id,
      parentId: run.parent.id,
      relation: 'chat',
    });
    const both = await Promise.all([machine.createRun(run), machine.createRun(run)]);
    expect(both.map(({ id }) => id)).toEqual([run.id, run.id]);
    expect((await machine.listRuns({ owner: RUN_OWNER, limit: 9 })).runs).toHaveLength(1);
  });

  it('continues while its call is open', async () => {
    const { machine } = await start();
    const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
    assert(held);
    await machine.cancelLeftRuns();
    expect((await machine.readRun({ owner: RUN_OWNER, runId: held.claimed.id })).status).toBe('running');
  });

  it.each(Object.keys(chats))('is canceled when its call is %s', async (how) => {
    const { chat, machine } = await start();
    const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
    assert(held);
    await chats[how]?.(chat, store);
    await machine.cancelLeftRuns();
    expect((await machine.readRun({ owner: RUN_OWNER, runId: held.claimed.id })).status).toBe('canceling');
  });

  it('is not canceled after its answer is accepted', async () => {
    const { chat, machine } = await start();
    const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
    assert(held);
    await machine.note(held.fence, { note: { phase: 'answered' } });
    await chats['deleted']?.(chat, store);
    await machine.cancelLeftRuns();
    expect((await machine.readRun({ owner: RUN_OWNER, runId: held.claimed.id })).status).toBe('running');
  });
});
