import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { ensureFormat, STORE_FORMAT } from '../../packages/store/src/format/store-format.ts';
import type { TableSchema } from '../../packages/store/src/format/table-schema.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { bundledHost } from '../bundled-host.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';

const HOST = await bundledHost(new URL('appending-host.ts', import.meta.url));

describeOnBothStores('opening a store', (fixture) => {
  it('is done once when several processes do it at once', async () => {
    const url = await fixture.emptyUrl();
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((prefix) => promisify(execFile)(process.execPath, [HOST, url, prefix, '5'])),
    );
    const store = await fixture.open(url);
    expect(await store.db.selectFrom('events').select('id').execute()).toHaveLength(20);
    const formats = await sql`select number from store_format`.execute(store.db);
    expect(formats.rows).toEqual([{ number: STORE_FORMAT }]);
  });

  it.each([
    [STORE_FORMAT + 1, 'newer-database', 'update Truecast, or pass another database.'],
    [STORE_FORMAT - 1, 'older-database', 'pass another database, or use the version that created this one.'],
  ])('refuses a database of format %i, and changes nothing', async (number, code, advice) => {
    const url = await fixture.emptyUrl();
    const store = await fixture.open(url);
    await sql`update store_format set number = ${number}`.execute(store.db);
    await sql`insert into readiness_probes (id, written_at) values ('kept', 1)`.execute(store.db);
    await expect(fixture.open(url)).rejects.toMatchObject({ code, message: expect.stringContaining(advice) });
    await expect(fixture.open(url)).rejects.toMatchObject({ code });
    expect((await sql`select number from store_format`.execute(store.db)).rows).toEqual([{ number }]);
    expect((await sql`select id from readiness_probes`.execute(store.db)).rows).toEqual([{ id: 'kept' }]);
    await store.close();
  });

  it('refuses a database without a format number, although its tables are the same', async () => {
    const url = await fixture.emptyUrl();
    const store = await fixture.open(url);
    await sql`drop table store_format`.execute(store.db);
    await store.close();
    const opening = fixture.open(url);
    await expect(opening).rejects.toMatchObject({
      code: 'older-database',
      message: expect.stringContaining('format 0 of an earlier version'),
    });
  });

  it('uses at most the given number of connections to Postgres', async () => {
    const url = await fixture.emptyUrl();
    const store = await openStore({ url, maxConnections: 2 });
    const isPostgres = store.dialect === 'postgres';
    const select = isPostgres
      ? sql<{ id: number }>`select pg_backend_pid() as id`
      : sql<{ id: number }>`select 1 as id`;
    const pids = await Promise.all(
      Array.from({ length: 8 }, async () => (await select.execute(store.db)).rows[0]?.id),
    );
    await store.close();
    expect(new Set(pids).size).toBe(isPostgres ? 2 : 1);
    await expect(openStore({ url, maxConnections: 1 })).rejects.toSatisfy(UsageError.isInstance);
  });

  it('creates all tables or none', async () => {
    const store = await fixture.open();
    const { dialect } = fixture;
    // Without these tables, the database counts as empty.
    await sql`drop table store_format`.execute(store.db);
    await sql`alter table chats rename to other_chats`.execute(store.db);
    const makesTable = async ({ createTable }: TableSchema): Promise<void> => {
      await createTable('later', { id: 'text?' }).execute();
    };
    const fails = async (schema: TableSchema): Promise<void> => {
      await makesTable(schema);
      await sql`nonsense`.execute(schema.db);
    };
    await expect(ensureFormat(store.db, { dialect, createTables: fails })).rejects.toThrow('nonsense');
    await expect(sql`select * from later`.execute(store.db)).rejects.toThrow('later');
    await ensureFormat(store.db, { dialect, createTables: makesTable });
    expect((await sql`select * from later`.execute(store.db)).rows).toEqual([]);
  });
});

describe('the address of a store', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'truecast-store-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('can be a path, whose file is private to its user', async () => {
    const path = join(folder, 'store.sqlite');
    await (await openStore({ url: path })).close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await (await openStore({ url: `sqlite:${path}` })).close();
  });

  it.each(['/proc/nope/x.sqlite', 'missing/x.sqlite'])(
    'in a folder that does not exist is refused at once, and nothing is created: %s',
    async (name) => {
      const url = resolve(folder, name);
      await expect(openStore({ url })).rejects.toMatchObject({
        code: 'cannot-open',
        message: `Could not open the database file \`${url}\`: the folder \`${dirname(url)}\` does not exist. Create it, or correct the path.`,
      });
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it('can be memory, which is new every time', async () => {
    const store = await openStore({ url: ':memory:' });
    expect(await store.db.selectFrom('events').selectAll().execute()).toEqual([]);
    await store.close();
  });

  it.each(['', 'mysql://somebody:secret@host/name', 'a\0b', 'postgres://[', 'file:store.sqlite'])(
    'is refused when it is %j, without showing a password',
    async (url) => {
      const opening = openStore({ url });
      await expect(opening).rejects.toThrow(UsageError);
      await expect(opening).rejects.not.toThrow('secret');
    },
  );

  it('must be of a database that can be opened', async () => {
    await mkdir(join(folder, 'directory'));
    await writeFile(join(folder, 'words'), 'These are no rows. '.repeat(100));
    await writeFile(join(folder, 'file'), '');
    for (const name of ['directory', 'words', 'file/below']) {
      const opening = openStore({ url: join(folder, name) });
      await expect(opening).rejects.toMatchObject({ code: 'cannot-open' });
      await expect(opening).rejects.toThrow(/\. (?:Check|Name) /u);
    }
  });
});
