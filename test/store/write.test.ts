/** Writes that are not awaited: when they are sent, and where their failure is reported. */
import { Socket } from 'node:net';
import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { write } from '../../packages/store/src/write.ts';
import { describeOnBothStores, describeOnPostgres } from '../describe-on-both-stores.ts';
import { countedPostgres } from '../server/counted-postgres.ts';

const HASH = 'h';

/** An access token's row, which needs nothing else. */
function row(id: string) {
  return {
    id,
    hash: `${HASH}-${id}`,
    name: 'n',
    owner: 'o',
    scopes: '',
    created_at: 1,
    expires_at: null,
    revoked_at: null,
  };
}

describeOnBothStores('a write of a transaction', ({ freshUrl }) => {
  let store: Store;
  beforeAll(async () => {
    store = await openStore({ url: await freshUrl() });
    await store.db.insertInto('access_tokens').values(row('taken')).execute();
  });
  afterAll(() => store.close());

  const ids = async (): Promise<string[]> => {
    const rows = await store.db.selectFrom('access_tokens').select('id').orderBy('id').execute();
    return rows.map(({ id }) => id);
  };

  it('is visible to the statements after it, and stored with the commit', async () => {
    const id = `new ${(await ids()).length}`;
    const seen = await store.transaction(async (tx) => {
      await write(tx, tx.db.insertInto('access_tokens').values(row(id)));
      return tx.db.selectFrom('access_tokens').select('name').where('id', '=', id).execute();
    });
    expect(seen).toEqual([{ name: 'n' }]);
    expect(await ids()).toContain(id);
  });

  it.each(['a statement', 'the commit'])(
    'that failed is reported by %s, and nothing is stored',
    async (last) => {
      const failing = store.transaction(async (tx) => {
        await write(tx, tx.db.insertInto('access_tokens').values(row('lost')));
        await write(tx, tx.db.insertInto('access_tokens').values(row('taken')));
        await write(tx, tx.db.insertInto('access_tokens').values(row('also lost')));
        if (last === 'a statement') await tx.db.selectFrom('access_tokens').select('id').execute();
      });
      await expect(failing).rejects.toMatchObject({ code: 'constraint' });
      expect((await ids()).filter((id) => id.includes('lost'))).toEqual([]);
      // The connection is usable again.
      await store.transaction(async (tx) => tx.db.selectFrom('access_tokens').select('id').execute());
    },
  );
});

describeOnPostgres('on Postgres', ({ freshUrl }) => {
  it('begin, writes and commit are one round trip', async () => {
    await using proxy = await countedPostgres(await freshUrl());
    const store = await openStore({ url: proxy.url });
    const before = { ...proxy.traffic };
    await store.transaction(async (tx) => {
      for (const id of ['a', 'b', 'c']) await write(tx, tx.db.insertInto('access_tokens').values(row(id)));
    });
    const { statements, roundTrips } = proxy.traffic;
    expect(statements - before.statements).toBe(5);
    expect(roundTrips - before.roundTrips).toBe(1);
    await store.close();
  });

  it('begin, writes and commit are one write to the socket', async () => {
    const store = await openStore({ url: await freshUrl() });
    const single = vi.spyOn(Socket.prototype, '_write');
    const joined = vi.spyOn(Socket.prototype, '_writev' as never);
    await store.transaction(async (tx) => {
      for (const id of ['a', 'b', 'c']) await write(tx, tx.db.insertInto('access_tokens').values(row(id)));
    });
    const counts = [single, joined].map(({ mock }) => mock.calls.length);
    vi.restoreAllMocks();
    expect(counts).toEqual([0, 1]);
    await store.close();
  });

  it('a prepared statement survives a migration of another process', async () => {
    const url = await freshUrl();
    const [store, other] = [await openStore({ url }), await openStore({ url })];
    const read = store.db.selectFrom('access_tokens').selectAll().where('id', '=', 'none');
    await Promise.all(Array.from({ length: 10 }, () => read.execute()));
    await sql`alter table access_tokens add column added text`.execute(other.db);
    expect(await read.execute()).toEqual([]);
    const again = (): Promise<unknown> =>
      store.transaction(async ({ db }) =>
        db.selectFrom('access_tokens').selectAll().where('id', '=', 'none').execute(),
      );
    expect(await Promise.all([again(), again(), again()])).toEqual([[], [], []]);
    await Promise.all([store.close(), other.close()]);
  });
});

describeOnPostgres('a string of several statements', ({ freshUrl }) => {
  it('returns the rows of all, also if it ends with its own commit', async () => {
    const store = await openStore({ url: await freshUrl() });
    const text = "BEGIN; SET LOCAL lock_timeout = '1s'; SELECT 7 AS n; COMMIT;";
    const { rows } = await store.db.executeQuery(CompiledQuery.raw(text));
    await store.close();
    expect(rows).toEqual([{ n: 7 }]);
  });
});
