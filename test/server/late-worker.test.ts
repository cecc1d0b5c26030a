/**
 * A worker loses its chat while its model writes, and notices it only at its commit. Its answer is
 * discarded.
 */
import { expect, it } from 'vitest';
import type { ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { describeOnBothStores } from '../both-stores.ts';
import { COUNT, newRequestId, submit } from './answers.ts';
import { message, OWNER, testServer } from './test-server.ts';

const PATIENCE = { timeout: 120_000 };

describeOnBothStores('A worker that is late', (open) => {
  it('never attaches its answer to another message', async () => {
    const [late, next] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const commits: PromiseSettledResult<unknown>[] = [];
    const store = open();
    const ports = { heartbeatMs: 600_000 };
    await using slow = await testServer({
      store,
      ports,
      sweepMs: 600_000,
      wrap: (machine) => ({
        ...machine,
        // It receives no hint.
        onChat: () => () => undefined,
        // Its step is the last one, so it is committed with the ending.
        finishTurn: async (...given) => {
          const committing = machine.finishTurn(...given);
          commits.push(...(await Promise.allSettled([committing])));
          return committing;
        },
      }),
      script: async () => {
        await late.promise;
        return submit('{"output":{"n":1}}');
      },
    });
    const requestIds = [newRequestId(), newRequestId()] as const;
    const [one, two] = requestIds.map((requestId) => ({ requestId, schema: COUNT }));
    const begun = { owner: OWNER, model: 'test:scripted', message: message('One', one) };
    const { chat } = await slow.machine.createChat(begun);
    const queued = { owner: OWNER, chatId: chat.id, message: message('Two', two) };
    await slow.machine.sendMessage({ ...queued, busyBehavior: 'queue' });
    await expect.poll(() => slow.scripted.requests.length, PATIENCE).toBe(1);

    await using quick = await testServer({
      store,
      ports,
      // It treats the other worker's lease as expired, so its first poll takes the chat.
      machine: { leaseMs: -1 },
      sweepMs: 600_000,
      script: async ({ userText }: ScriptedTurn): Promise<ScriptedReply> => {
        if (userText === 'One') return submit('{"output":{"n":10}}');
        await next.promise;
        return submit('{"output":{"n":2}}');
      },
    });
    await expect.poll(() => quick.scripted.requests.length, PATIENCE).toBe(2);
    late.resolve();
    await expect.poll(() => commits, PATIENCE).toHaveLength(1);
    next.resolve();
    const receipts = requestIds.map((requestId) =>
      quick.machine.waitForRequest({ owner: OWNER, requestId, waitMs: 20_000 }),
    );
    expect((await Promise.all(receipts)).map(({ receipt }) => receipt.value)).toEqual([{ n: 10 }, { n: 2 }]);
    expect(commits).toMatchObject([{ status: 'rejected', reason: { code: 'superseded' } }]);
    expect(slow.events).toEqual([]);
  });
});
