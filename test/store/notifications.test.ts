import { expect, it, vi } from 'vitest';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { eventRow } from './event-row.ts';

/** Long enough for a busy machine. No test here waits as long. */
const PATIENCE = { timeout: 120_000 };

describeOnBothStores('notifications', (fixture) => {
  it('arrive after the commit, in order, on their channel only', async () => {
    const store = await fixture.open();
    const heard: (string | undefined)[] = [];
    store.notifications.subscribe('chat 1', (payload) => heard.push(payload));
    await store.transaction(async (tx) => {
      await tx.notify('chat 1', 'first');
      await tx.notify('chat 2', 'not for us');
      await tx.notify('chat 1', 'second');
      await tx.db.insertInto('events').values(eventRow('a')).execute();
      expect(heard).toEqual([]);
    });
    await store.notifications.publish('chat 1', 'third');
    await vi.waitFor(() => expect(heard).toEqual(['first', 'second', 'third']), PATIENCE);
  });

  it('are not sent when the transaction fails', async () => {
    const store = await fixture.open();
    const heard: (string | undefined)[] = [];
    store.notifications.subscribe('a', (payload) => heard.push(payload));
    const work = store.transaction(async (tx) => {
      await tx.notify('a', 'lost');
      throw new UsageError('stop');
    });
    await expect(work).rejects.toThrow('stop');
    await store.notifications.publish('a', 'kept');
    await vi.waitFor(() => expect(heard).toEqual(['kept']), PATIENCE);
  });

  it('carry every string, up to the same size on both databases', async () => {
    const store = await fixture.open();
    const heard: (string | undefined)[] = [];
    const channel = 'a\0\uD800"\'';
    const payload = `\0\uDC00${'x'.repeat(6_900)}`;
    store.notifications.subscribe(channel, (given) => heard.push(given));
    await store.notifications.publish(channel, payload);
    await vi.waitFor(() => expect(heard).toEqual([payload]), PATIENCE);
    await expect(store.notifications.publish('a', 'x'.repeat(7_000))).rejects.toThrow(UsageError);
    const work = store.transaction((tx) => tx.notify('a', '\0'.repeat(1_200)));
    await expect(work).rejects.toThrow(UsageError);
  });

  it('reach each listener until it unsubscribes, even if another one throws', async () => {
    const store = await fixture.open();
    const heard: string[] = [];
    const listen = (name: string): (() => void) =>
      store.notifications.subscribe('a', (payload) => heard.push(`${name} ${payload}`));
    store.notifications.subscribe('a', () => {
      throw new UsageError('bad listener');
    });
    const leave = listen('one');
    listen('two');
    await store.notifications.publish('a', '1');
    await vi.waitFor(() => expect(heard).toEqual(['one 1', 'two 1']), PATIENCE);
    leave();
    await store.notifications.publish('a', '2');
    await vi.waitFor(() => expect(heard).toEqual(['one 1', 'two 1', 'two 2']), PATIENCE);
    expect(fixture.warnings).toMatchObject([
      { cause: { message: 'bad listener' } },
      { cause: { message: 'bad listener' } },
    ]);
  });

  it('are delivered outside the sending transaction, so that a listener can use the store', async () => {
    const store = await fixture.open();
    const found = new Promise((resolve) => {
      store.notifications.subscribe('a', () => resolve(store.db.selectFrom('events').select('id').execute()));
    });
    await store.transaction(async (tx) => {
      await tx.db.insertInto('events').values(eventRow('a')).execute();
      await tx.notify('a', '');
    });
    expect(await found).toEqual([{ id: 'a' }]);
  });
});
