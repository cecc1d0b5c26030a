import { expect, it } from 'vitest';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { eventRow } from './event-row.ts';

describeOnBothStores('a view', (fixture) => {
  it('waits for no writer in this process or another', async () => {
    const url = await fixture.freshUrl();
    const [store, other] = [await fixture.open(url), await fixture.open(url)];
    await insert(store.db, 'a');
    const [hold, own] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = Promise.withResolvers<void>();
    const theirs = other.transaction(async (tx) => {
      await insert(tx.db, 'b');
      held.resolve();
      await hold.promise;
    });
    await held.promise;
    // On SQLite it waits for the other transaction to end, first in the process's queue of writers.
    const ours = store.transaction(async (tx) => {
      await insert(tx.db, 'c');
      await own.promise;
    });
    expect(await store.view(idsIn)).toEqual(['a']);
    expect(await idsIn(store.db)).toEqual(['a']);
    hold.resolve();
    await theirs;
    expect(await store.view(idsIn)).toEqual(['a', 'b']);
    own.resolve();
    await ours;
    expect(await store.view(idsIn)).toEqual(['a', 'b', 'c']);
  });

  it('blocks no writer, and sees no later commits', async () => {
    const store = await fixture.open();
    await insert(store.db, 'a');
    const seen = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const view = store.view(async (db) => {
      const before = await idsIn(db);
      seen.resolve();
      await written.promise;
      return [before, await idsIn(db)];
    });
    await seen.promise;
    await store.transaction((tx) => insert(tx.db, 'b'));
    await insert(store.db, 'c');
    written.resolve();
    expect(await view).toEqual([['a'], ['a']]);
    expect(await store.view(idsIn)).toEqual(['a', 'b', 'c']);
  });

  it('refuses to write, and the store itself', async () => {
    const store = await fixture.open();
    await expect(store.view((db) => insert(db, 'a'))).rejects.toMatchObject({ name: 'StoreError' });
    await expect(store.view(() => idsIn(store.db))).rejects.toMatchObject({ code: 'inside-transaction' });
    await expect(store.view(() => store.view(idsIn))).rejects.toMatchObject({ code: 'inside-transaction' });
    expect(await store.view(idsIn)).toEqual([]);
  });

  it('reports that the store is closed', async () => {
    const store = await fixture.open();
    await store.close();
    await expect(store.view(idsIn)).rejects.toMatchObject({ code: 'closed' });
  });
});

it('reads a view in memory', async () => {
  const store = await openStore({ url: ':memory:' });
  try {
    await insert(store.db, 'a');
    expect(await Promise.all([store.view(idsIn), store.view(idsIn)])).toEqual([['a'], ['a']]);
  } finally {
    await store.close();
  }
});

async function insert(db: Store['db'], id: string): Promise<void> {
  await db.insertInto('events').values(eventRow(id)).execute();
}

async function idsIn(db: Store['db']): Promise<string[]> {
  const rows = await db.selectFrom('events').select('id').orderBy('offset').execute();
  return rows.map(({ id }) => id);
}
