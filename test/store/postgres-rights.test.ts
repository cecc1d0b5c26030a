import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../packages/store/src/open-store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { postgresIsMissing, startPostgres, type TestPostgres } from '../postgres.ts';
import { describeUnless } from '../needs.ts';

describeUnless(postgresIsMissing, 'a Postgres user without the right to create schemas', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('gets an error that names the missing right, and works in schemas that were created for it', async () => {
    const url = await postgres.createDatabase();
    const asUser = url.replace('truecast@', 'limited@');
    const owner = new Client({ connectionString: url });
    await owner.connect();
    await owner.query('create role limited login');
    await expect(openStore({ url: asUser })).rejects.toMatchObject({
      code: 'cannot-open',
      message: expect.stringContaining('Grant the user the right'),
    });
    await owner.query('create schema truecast authorization limited');
    await owner.query('create schema truecast_queue authorization limited');
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
