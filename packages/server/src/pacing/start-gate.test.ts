import { expect, it } from 'vitest';
import { describeOnPostgres } from '../../../../test/describe-on-both-stores.ts';
import { createChatMachine } from '../state/chat-machine.ts';
import { OWNER, userMessage } from '../state/test-chats.ts';

describeOnPostgres('a crowd of new chats', ({ open }) => {
  it('delays other transactions by few of its commits', async () => {
    const store = await open();
    const machine = createChatMachine({ store });
    const read = () =>
      store.transaction(async ({ db }) => {
        await db.selectFrom('chats').select('id').limit(1).execute();
        return created;
      });
    let created = 0;
    // Opens the connections.
    await Promise.all(Array.from({ length: 10 }, read));
    const crowd = Array.from({ length: 60 }, async () => {
      await machine.createChat({ owner: OWNER, model: 'scripted', message: userMessage('x') });
      created += 1;
    });
    const before = await read();
    expect(before).toBeLessThan(20);
    await Promise.all(crowd);
    expect(created).toBe(60);
  });
});
