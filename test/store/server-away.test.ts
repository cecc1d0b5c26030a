import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { sql } from 'kysely';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { bundledHost } from '../bundled-host.ts';
import { postgresIsMissing, startPostgres, type TestPostgres } from '../postgres.ts';
import { eventRow } from './event-row.ts';
import { describeUnless } from '../needs.ts';

const PATIENCE = { timeout: 120_000 };

describeUnless(postgresIsMissing, 'a store whose Postgres server goes away', () => {
  let postgres: TestPostgres;
  const stores: Store[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });

  async function open(warnings: string[] = []): Promise<Store> {
    const url = await postgres.createDatabase();
    const store = await openStore({ url, onWarning: ({ message }) => warnings.push(message) });
    stores.push(store);
    return store;
  }

  it('continues after a reconnect, warns, and notifies listeners of possibly missed notifications', async () => {
    const warnings: string[] = [];
    const heard: (string | undefined)[] = [];
    const store = await open(warnings);
    store.notifications.subscribe('a', (payload) => heard.push(payload));
    await store.db.insertInto('events').values(eventRow('a')).execute();
    await postgres.restart();
    const work = (id: string): Promise<unknown> =>
      store.transaction((tx) => tx.db.insertInto('events').values(eventRow(id)).execute());
    await work('b');
    await vi.waitFor(() => expect(heard).toEqual([undefined]), PATIENCE);
    await store.notifications.publish('a', 'again');
    await vi.waitFor(() => expect(heard).toEqual([undefined, 'again']), PATIENCE);
    expect(warnings).toContain(
      'The connection that listens for Postgres notifications was lost; reconnecting',
    );
    const rows = await store.db.selectFrom('events').select('id').orderBy('offset').execute();
    expect(rows.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('restarts interrupted work from its beginning', async () => {
    const store = await open();
    let tries = 0;
    await store.transaction(async (tx) => {
      tries += 1;
      await tx.db.insertInto('events').values(eventRow('a')).execute();
      if (tries === 1) await postgres.restart();
      await tx.db.insertInto('events').values(eventRow('b')).execute();
    });
    expect(tries).toBe(2);
    expect(await store.db.selectFrom('events').select('id').execute()).toHaveLength(2);
  });

  it('reports a commit without an acknowledgement as in doubt', async () => {
    const store = await open();
    // The backend terminates itself at the commit, before it answers.
    await sql`create function die() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(store.db);
    await sql`create constraint trigger die after insert on events deferrable initially deferred
      for each row execute function die()`.execute(store.db);
    const work = vi.fn((tx: Parameters<Parameters<Store['transaction']>[0]>[0]) =>
      tx.db.insertInto('events').values(eventRow('a')).execute(),
    );
    await expect(store.transaction(work)).rejects.toMatchObject({ code: 'commit-unknown' });
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('reports by its code that no server is reachable, or that the address is wrong', async () => {
    const nowhere = openStore({ url: 'postgres://truecast@127.0.0.1:1/postgres', onWarning: () => {} });
    await expect(nowhere).rejects.toMatchObject({ code: 'connection-lost' });
    await expect(nowhere).rejects.not.toThrow('secret');
    await expect(openStore({ url: postgres.url('no_such_database') })).rejects.toMatchObject({
      code: 'cannot-open',
    });
  });

  it('leaves no connection open after its end', async () => {
    const url = await postgres.createDatabase();
    const host = await bundledHost(new URL('appending-host.ts', import.meta.url));
    // A process without pending work exits by itself.
    const { stdout } = await promisify(execFile)(process.execPath, [host, url, 'a', '1'], {
      timeout: 30_000,
    });
    expect(stdout).toBe('ack a-0\n');
  });
});
