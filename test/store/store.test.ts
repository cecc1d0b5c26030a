import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { StoreError } from '../../packages/core/src/errors/store-error.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { forUpdate, lockName } from '../../packages/store/src/locks.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { anyText } from '../any-text.ts';
import { eventRow } from './event-row.ts';

describeOnBothStores('a store', (fixture) => {
  it('keeps what was written after it is opened again', async () => {
    const url = await fixture.freshUrl();
    const first = await fixture.open(url);
    await first.db.insertInto('events').values(eventRow('a')).execute();
    await first.close();
    expect(await idsIn(await fixture.open(url))).toEqual(['a']);
  });

  it('returns every JSON string unchanged, in a column and as a key', async () => {
    const store = await fixture.open();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(anyText(), loneUnits, async (words, units) => {
        const text = words + units;
        const id = `${(count += 1)}${text}`;
        await store.db
          .insertInto('events')
          .values({ ...eventRow(id), model: text })
          .execute();
        const found = await store.db
          .selectFrom('events')
          .select(['id', 'model'])
          .where('id', '=', id)
          .executeTakeFirst();
        return found?.id === id && found.model === text;
      }),
    );
  });

  it('orders text by its bytes', async () => {
    const store = await fixture.open();
    const ids = ['b', 'B', 'a', 'ä', 'Z', '_', '😀', '\uFFFD', '1'];
    await store.db.insertInto('events').values(ids.map(eventRow)).execute();
    const found = await store.db.selectFrom('events').select('id').orderBy('id').execute();
    const byBytes = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(found.map(({ id }) => id)).toEqual(byBytes);
  });

  it('returns integers as numbers', async () => {
    const store = await fixture.open();
    const turn = Number.MAX_SAFE_INTEGER;
    await store.db
      .insertInto('events')
      .values({ ...eventRow('a'), turn })
      .execute();
    const count = store.db.fn.countAll<number>().as('count');
    expect(await store.db.selectFrom('events').select(['turn', 'offset']).execute()).toEqual([
      { turn, offset: 1 },
    ]);
    expect(await store.db.selectFrom('events').select(count).execute()).toEqual([{ count: 1 }]);
  });

  it('gives each value under its column after another process added one', async () => {
    const url = await fixture.freshUrl();
    const [store, other] = [await fixture.open(url), await fixture.open(url)];
    await store.db.insertInto('events').values(eventRow('a')).execute();
    const [before] = await store.db.selectFrom('events').selectAll().execute();
    await sql`alter table events add column extra text default 'more'`.execute(other.db);
    expect(await store.db.selectFrom('events').selectAll().execute()).toEqual([{ ...before, extra: 'more' }]);
  });

  it('enforces the type of a column', async () => {
    const store = await fixture.open();
    const turn = sql<number>`'three'`;
    await expect(
      store.db
        .insertInto('events')
        .values({ ...eventRow('a'), turn })
        .execute(),
    ).rejects.toThrow(StoreError);
  });

  it('distinguishes a duplicate key from other failures', async () => {
    const store = await fixture.open();
    await store.db.insertInto('events').values(eventRow('a')).execute();
    await expect(store.db.insertInto('events').values(eventRow('a')).execute()).rejects.toMatchObject({
      code: 'constraint',
    });
    await expect(sql`select nothing from nowhere`.execute(store.db)).rejects.toMatchObject({ code: 'query' });
  });

  it('reports that it is closed', async () => {
    const store = await fixture.open();
    await store.close();
    await store.close();
    await expect(store.transaction(async () => 1)).rejects.toMatchObject({ code: 'closed' });
    await expect(idsIn(store)).rejects.toMatchObject({ code: 'closed' });
    await expect(store.notifications.publish('a', 'b')).rejects.toMatchObject({ code: 'closed' });
  });
});

describeOnBothStores('a transaction', (fixture) => {
  it('does everything or nothing', async () => {
    const store = await fixture.open();
    const work = store.transaction(async (tx) => {
      await tx.db.insertInto('events').values(eventRow('a')).execute();
      throw new UsageError('stop');
    });
    await expect(work).rejects.toThrow('stop');
    expect(await idsIn(store)).toEqual([]);
  });

  it('stores nothing when a statement failed and the callback continued', async () => {
    const store = await fixture.open();
    const work = store.transaction(async (tx) => {
      await tx.db.insertInto('events').values(eventRow('a')).execute();
      await tx.db
        .insertInto('events')
        .values(eventRow('a'))
        .execute()
        .catch(() => {});
    });
    await expect(work).rejects.toMatchObject({ code: 'query' });
    expect(await idsIn(store)).toEqual([]);
    await store.transaction((tx) => tx.db.insertInto('events').values(eventRow('b')).execute());
    expect(await idsIn(store)).toEqual(['b']);
  });

  it('rejects uses of the store inside its callback, and allows them in work that outlives it', async () => {
    const store = await fixture.open();
    await expect(store.transaction(() => idsIn(store))).rejects.toMatchObject({ code: 'inside-transaction' });
    await expect(store.transaction(() => store.transaction(async () => 1))).rejects.toMatchObject({
      code: 'inside-transaction',
    });
    const later = await store.transaction(async () => ({ ids: sleep(20).then(() => idsIn(store)) }));
    expect(await later.ids).toEqual([]);
  });

  it('loses no increment when many run concurrently', async () => {
    const url = await fixture.freshUrl();
    // Two stores share no more state than two processes do.
    const stores = [await fixture.open(url), await fixture.open(url)] as const;
    const [store] = stores;
    await store.db.insertInto('events').values(eventRow('a')).execute();
    const increment = (_: unknown, index: number): Promise<void> =>
      stores[index % 2]!.transaction(async (tx) => {
        const row = tx.db.selectFrom('events').select('turn').where('id', '=', 'a');
        const { turn } = await forUpdate(tx, row).executeTakeFirstOrThrow();
        await sleep(1);
        await tx.db
          .updateTable('events')
          .set({ turn: turn + 1 })
          .where('id', '=', 'a')
          .execute();
      });
    await Promise.all(Array.from({ length: 30 }, increment));
    const { turn } = await store.db.selectFrom('events').select('turn').executeTakeFirstOrThrow();
    expect(turn).toBe(31);
  });

  it('under a named lock shows its rows in the order of their keys', async () => {
    const store = await fixture.open();
    const seen: number[] = [];
    const append = (id: number): Promise<void> =>
      store.transaction(async (tx) => {
        await lockName(tx, 'events');
        await tx.db
          .insertInto('events')
          .values(eventRow(`${id}`))
          .execute();
        await sleep(Math.random() * 5);
      });
    let isDone = false;
    const reader = (async () => {
      while (!isDone) {
        const last = seen.at(-1) ?? 0;
        const rows = await store.db
          .selectFrom('events')
          .select('offset')
          .where('offset', '>', last)
          .orderBy('offset')
          .execute();
        seen.push(...rows.map(({ offset }) => offset));
        await sleep(1);
      }
    })();
    await Promise.all(Array.from({ length: 30 }, (_, id) => append(id)));
    await sleep(50);
    isDone = true;
    await reader;
    expect(seen).toHaveLength(30);
  });

  it('lets two processes on one database write at once', async () => {
    const url = await fixture.freshUrl();
    // Two stores share no more state than two processes do.
    const stores = await Promise.all([fixture.open(url), fixture.open(url)]);
    const writes = Array.from({ length: 40 }, (_, index) =>
      stores[index % 2]!.transaction(async (tx) => {
        await tx.db
          .insertInto('events')
          .values(eventRow(`${index}`))
          .execute();
        await sleep(2);
      }),
    );
    await Promise.all(writes);
    expect(await idsIn(stores[0])).toHaveLength(40);
  });

  it('runs callbacks after its commit in order, and logs their exceptions as warnings', async () => {
    const store = await fixture.open();
    const done: string[] = [];
    await store.transaction(async (tx) => {
      tx.afterCommit(() => done.push('first'));
      tx.afterCommit(() => {
        throw new UsageError('late');
      });
      tx.afterCommit(() => done.push('last'));
      await tx.db.insertInto('events').values(eventRow('a')).execute();
      done.push('work');
    });
    expect(done).toEqual(['work', 'first', 'last']);
    expect(fixture.warnings).toMatchObject([{ cause: { message: 'late' } }]);
  });
});

/** Strings of single units: NUL, unpaired surrogates, the encoding's own characters. */
const loneUnits = fc
  .array(fc.constantFrom('\0', '\u0010', '\uD83D', '\uDE00', '0010', '\uFFFF'))
  .map((units) => units.join(''));

async function idsIn(store: Store): Promise<string[]> {
  const rows = await store.db.selectFrom('events').select('id').orderBy('offset').execute();
  return rows.map(({ id }) => id);
}
