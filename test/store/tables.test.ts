/** Tables and indexes of a new SQLite database: those of the fixture of its format, so that a change needs a new one. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { STORE_FORMAT } from '../../packages/store/src/format/store-format.ts';
import { openStore } from '../../packages/store/src/open-store.ts';

const FILE = join(import.meta.dirname, 'fixtures', `format-${STORE_FORMAT}.sqlite.gz`);
const folder = await mkdtemp(join(tmpdir(), 'truecast-tables-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The statements that made the parts of a database, by name. */
function partsOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare('select type, name, tbl_name, sql from sqlite_master order by type, name').all();
  } finally {
    database.close();
  }
}

it('has the tables, keys and indexes of the fixture of its format', async () => {
  const inside = await mkdtemp(join(folder, 'new-'));
  const [made, kept] = [join(inside, 'made.sqlite'), join(inside, 'kept.sqlite')];
  await (await openStore({ url: made })).close();
  await writeFile(kept, gunzipSync(await readFile(FILE)));
  expect(partsOf(made)).toEqual(partsOf(kept));
});
