import { expect, it } from 'vitest';
import { describeOnPostgres } from '../../../../test/describe-on-both-stores.ts';
import type { Fence } from '../state/rows/chat-update.ts';
import type { StartedTurn } from '../state/start-with-commit.ts';
import { createChatMachine } from '../state/chat-machine.ts';
import { OWNER, userMessage } from '../state/test-chats.ts';

describeOnPostgres('a crowd of chats', ({ open }) => {
  it('delays other transactions by few of its commits, at its start and at its end', async () => {
    const store = await open();
    const started: Fence[] = [];
    const slot = { worker: 'w', begin: ({ fence }: StartedTurn) => void started.push(fence) };
    const machine = createChatMachine({ store, reserve: () => ({ ...slot, giveBack: () => undefined }) });
    const read = () =>
      store.transaction(async ({ db }) => {
        await db.selectFrom('chats').select('id').limit(1).execute();
        return commits;
      });
    let commits = 0;
    // Opens the connections.
    await Promise.all(Array.from({ length: 10 }, read));
    const crowd = Array.from({ length: 60 }, async () => {
      await machine.createChat({ owner: OWNER, model: 'scripted', message: userMessage('x') });
      commits += 1;
    });
    expect(await read()).toBeLessThan(20);
    await Promise.all(crowd);
    expect(commits).toBe(60);
    const ends = started.map(async (fence) => {
      await machine.finishTurn(fence);
      commits += 1;
    });
    expect(await read()).toBeLessThan(80);
    await Promise.all(ends);
    expect(commits).toBe(120);
  });
});
