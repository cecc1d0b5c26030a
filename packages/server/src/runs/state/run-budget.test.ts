/** The budget of an owner's day, on both databases: usage is charged once, and new and queued runs wait. */
import assert from 'node:assert/strict';
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { spentBatchIds } from './batch-budget.ts';
import { OFFERS, RUN_OWNER, runRequest, testRuns } from './test-runs.ts';

const usageOf = (input: number, cost?: number) => ({
  input_tokens: input,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  ...(cost !== undefined && { cost_usd: cost }),
});
const CLAIM = { worker: 'w1', offers: OFFERS };
const DAY_MS = 86_400_000;

describeOnBothStores('the budget of a batch', (open) => {
  it('claims no item once it is spent, goes on after a raise, and affects no other batch', async () => {
    const machine = testRuns(open());
    const owner = 'owner-5';
    const { prompt: _prompt, ...request } = runRequest();
    const batchOf = async (name: string, budget?: { readonly tokens?: number; readonly usd?: number }) => {
      const { id } = await machine.createBatch({ owner, name, request, ...(budget && { budget }) });
      return id;
    };
    const fill = (batchId: string) =>
      machine.addItems({ owner, batchId, items: ['a', 'b', 'c'].map((key) => ({ key, prompt: key })) });
    /** Ends what a worker can claim. Returns the number of claims. */
    const work = async (usage: ReturnType<typeof usageOf>): Promise<number> => {
      for (let claims = 0; ; claims += 1) {
        const held = await machine.claimNext(CLAIM);
        if (held === undefined) return claims;
        // A checkpoint repeats the sum, and charges nothing twice.
        await machine.note(held.fence, { note: { usage } });
        await machine.note(held.fence, { note: { phase: 'working', usage } });
        await machine.endRun(held.fence, { status: 'succeeded', text: 'Done.', usage });
      }
    };
    await work(usageOf(1));
    const bounded = await batchOf('bounded', { tokens: 100 });
    await fill(bounded);
    expect(await work(usageOf(60))).toBe(2);
    expect(await machine.readBatch({ owner, batchId: bounded })).toMatchObject({
      spent_tokens: 120,
      succeeded: 2,
    });
    const waiting = (await machine.listRuns({ owner, limit: 1, status: 'queued' })).runs[0];
    assert(waiting);
    expect((await machine.claimWaits())(waiting)).toBe('budget');

    await fill(await batchOf('other', { usd: 1 }));
    expect(await work(usageOf(1, 0.4))).toBe(3);
    // Without a budget, it keeps the one that it has.
    expect(await batchOf('bounded')).toBe(bounded);
    expect(await work(usageOf(60))).toBe(0);
    expect(await batchOf('bounded', { tokens: 121 })).toBe(bounded);
    expect(await work(usageOf(60))).toBe(1);
    const dollars = await batchOf('dollars', { usd: 0.8 });
    await fill(dollars);
    expect(await work(usageOf(1, 0.4))).toBe(2);
    // A claim does not read those that have ended: their number grows for ever.
    const spent = await spentBatchIds(open().db);
    expect([spent.includes(dollars), spent.includes(bounded)]).toEqual([true, false]);
  });
});

describeOnBothStores('the budget of a day', (open) => {
  it('refuses new runs and keeps queued ones until the next day, and charges nothing twice', async () => {
    const machine = testRuns(open(), { dayBudget: { tokens: 100 } });
    const create = (owner: string = RUN_OWNER) => machine.createRun({ owner, request: runRequest() });
    await create();
    const held = await machine.claimNext(CLAIM);
    assert(held);
    await machine.note(held.fence, { note: { usage: usageOf(60) } });
    // A checkpoint and a takeover repeat the sum.
    await machine.note(held.fence, { note: { phase: 'working', usage: usageOf(60) } });
    const lost = { worker: 'w1', heartbeatAt: undefined };
    const next = await machine.takeOver({ runId: held.fence.runId, worker: 'w2', lost });
    assert(next);
    await machine.note(next.fence, { note: { usage: usageOf(99) } });
    const { id: runId } = await create();
    await machine.endRun(next.fence, { status: 'succeeded', text: 'Done.', usage: usageOf(101) });

    const resetsAt = DAY_MS;
    await expect(create()).rejects.toMatchObject({ code: 'budget-spent', resetsAt });
    expect(await machine.claimNext(CLAIM)).toBeUndefined();
    const waiting = await machine.readRun({ owner: RUN_OWNER, runId });
    expect((await machine.claimWaits())(waiting)).toBe('budget');
    const { id: other } = await create('owner-2');
    expect((await machine.claimNext(CLAIM))?.claimed.id).toBe(other);

    machine.clock.nowMs += DAY_MS;
    expect((await machine.claimNext(CLAIM))?.claimed.id).toBe(runId);
    await expect(create()).resolves.toMatchObject({ status: 'queued' });
  });

  it('counts dollars, and the runs of a server without a budget not at all', async () => {
    const [counted, free] = [testRuns(open(), { dayBudget: { costUsd: 0.5 } }), testRuns(open())];
    for (const [machine, owner] of [
      [counted, 'owner-3'],
      [free, 'owner-4'],
    ] as const) {
      await machine.createRun({ owner, request: runRequest({ priority: 100 }) });
      let held = await machine.claimNext(CLAIM);
      while (held !== undefined && held.claimed.owner !== owner) held = await machine.claimNext(CLAIM);
      assert(held);
      await machine.endRun(held.fence, { status: 'succeeded', text: 'Done.', usage: usageOf(1, 0.5) });
    }
    const request = runRequest();
    await expect(counted.createRun({ owner: 'owner-3', request })).rejects.toThrow('0.5 US dollars');
    await expect(counted.createRun({ owner: 'owner-4', request })).resolves.toBeDefined();
  });
});
