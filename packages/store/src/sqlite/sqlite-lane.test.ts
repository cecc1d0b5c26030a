import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../open-store.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteLane } from './sqlite-lane.ts';
import { truncateWal } from './truncate-wal.ts';

it('each caller after the end of a lane is refused, and none waits', async () => {
  const lane = new SqliteLane(new DatabaseSync(':memory:'), () => undefined);
  const settle = vi.fn<() => Promise<void>>(async () => undefined);
  const closing = lane.close(settle);
  const late = [lane.take(), lane.take()];
  await closing;
  expect(settle).toHaveBeenCalledTimes(1);
  for (const taken of late) await expect(taken).rejects.toMatchObject({ code: 'closed' });
  await expect(lane.take()).rejects.toMatchObject({ code: 'closed' });
});

describe('a connection', () => {
  const run = (
    connection: SqliteConnection,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<unknown> => connection.executeQuery(CompiledQuery.raw(text, [...values]));

  it('reports each commit once, and no statement inside a transaction', async () => {
    const written = vi.fn<() => void>();
    const connection = new SqliteConnection(new DatabaseSync(':memory:'), written);
    await run(connection, 'create table notes (text)');
    expect(written).toHaveBeenCalledTimes(1);
    await connection.begin();
    await run(connection, 'insert into notes values (1)');
    expect(written).toHaveBeenCalledTimes(1);
    await connection.commit();
    expect(written).toHaveBeenCalledTimes(2);
  });

  it('keeps the 256 statements that were used last', async () => {
    const database = new DatabaseSync(':memory:');
    const prepare = vi.spyOn(database, 'prepare');
    const connection = new SqliteConnection(database, () => undefined);
    for (let number = 0; number < 256; number += 1) await run(connection, `select ${number}`);
    await run(connection, 'select 0');
    expect(prepare).toHaveBeenCalledTimes(256);
    await run(connection, 'select 256');
    await run(connection, 'select 0');
    expect(prepare).toHaveBeenCalledTimes(257);
    await run(connection, 'select 1');
    expect(prepare).toHaveBeenCalledTimes(258);
  });

  it('refuses a value that a column cannot hold', async () => {
    const connection = new SqliteConnection(new DatabaseSync(':memory:'), () => undefined);
    await expect(run(connection, 'select ?', [true])).rejects.toThrow(
      /^Expected a stored value .* got .*true.*\. Store a boolean as 0 or 1/u,
    );
  });
});

describe('a write-ahead log', () => {
  let folder = '';
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'truecast-wal-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is empty after it was truncated', async () => {
    const path = join(folder, 'store.sqlite');
    const store = await openStore({ url: path });
    await sql`create table notes (text)`.execute(store.db);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    await truncateWal({ dialect: 'postgres', db: store.db });
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    await truncateWal(store);
    expect(statSync(`${path}-wal`).size).toBe(0);
    await store.close();
  });
});
