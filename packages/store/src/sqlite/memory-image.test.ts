import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../open-store.ts';
import type { Store } from '../database/store.ts';

async function open(url: string): Promise<Store> {
  const store = await openStore({ url });
  onTestFinished(() => store.close());
  return store;
}

/** Tables, pragmas and the number of the format. */
async function readAll({ db }: Store): Promise<readonly unknown[]> {
  const parts = [
    sql`select name, sql from sqlite_master order by name`,
    sql`select * from pragma_foreign_keys, pragma_secure_delete`,
    sql`select number from store_format`,
  ];
  return Promise.all(parts.map(async (part) => (await part.execute(db)).rows));
}

const probe = (store: Store, id: string) =>
  store.db.insertInto('readiness_probes').values({ id, written_at: 1 }).execute();
const probes = ({ db }: Store) => db.selectFrom('readiness_probes').select('id').execute();

it('each memory database has the tables of a file, and only its own rows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-memory-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = await readAll(await open(join(folder, 'store.sqlite')));
  const [first, second] = [await open(':memory:'), await open(':memory:')];
  await probe(first, 'a');
  const third = await open(':memory:');
  await probe(third, 'b');
  expect([await readAll(first), await readAll(second), await readAll(third)]).toEqual([file, file, file]);
  expect([await probes(first), await probes(second), await probes(third)]).toEqual([
    [{ id: 'a' }],
    [],
    [{ id: 'b' }],
  ]);
});
