import { Client } from 'pg';
import { expect, it } from 'vitest';
import { openStore } from '../../packages/store/src/open-store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { describeOnPostgres } from '../describe-on-both-stores.ts';

describeOnPostgres('a Postgres user without the right to create schemas', ({ emptyUrl }) => {
  it('gets an error that names the missing right, and works in schemas that were created for it', async () => {
    const url = await emptyUrl();
    // The users of a server are those of all its databases.
    const user = `limited_${crypto.randomUUID().replaceAll('-', '')}`;
    const asUser = url.replace('truecast@', `${user}@`);
    const owner = new Client({ connectionString: url });
    await owner.connect();
    await owner.query(`create role ${user} login`);
    await expect(openStore({ url: asUser })).rejects.toMatchObject({
      code: 'cannot-open',
      message: expect.stringContaining('Grant the user the right'),
    });
    await owner.query(`create schema truecast authorization ${user}`);
    await owner.query(`create schema truecast_queue authorization ${user}`);
    await owner.end();
    const store = await openStore({ url: asUser });
    const queue = await openJobQueue({ store, queues: ['turns'] });
    const done = new Promise((resolve) => {
      void queue.work('turns', {}, async ({ payload }) => resolve(payload));
    });
    await queue.enqueue({ queue: 'turns', key: 'a', payload: 'one' });
    expect(await done).toBe('one');
    await queue.close();
    await store.close();
  });
});
