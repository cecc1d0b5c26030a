/**
 * Format of the database: creates the tables of an empty one, and refuses one of another format. One
 * process at a time.
 */
import { sql, type Kysely } from 'kysely';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { StoreDialect } from '../database/store.ts';
import type { Tables } from '../tables/tables.ts';
import { makeSchema, tableSchemaOf, type TableSchema } from './table-schema.ts';

/**
 * Number of the format: the tables, and the JSON in their columns. Raise it with each change of a table,
 * and write the fixture database again. Parts of messages and receipts have a version of their own (ADR
 * 0017).
 */
export const STORE_FORMAT = 6;

/** Dependencies of `ensureFormat`. */
export interface FormatOptions {
  readonly dialect: StoreDialect;
  readonly createTables: (schema: TableSchema) => Promise<void>;
}

/**
 * Creates all tables of an empty database, or none of them. Does nothing in a database of this
 * format.
 *
 * Concurrent callers wait: on SQLite for the transaction, on Postgres for an advisory lock.
 *
 * @throws StoreError `older-database`, `newer-database` for another format. Nothing is changed
 */
export async function ensureFormat(db: Kysely<Tables>, options: FormatOptions): Promise<void> {
  const { dialect, createTables } = options;
  await db.transaction().execute(async (transaction) => {
    const schema = tableSchemaOf(dialect, transaction);
    await prepare(schema);
    const found = await readFormat(schema);
    if (found === STORE_FORMAT) return;
    if (found !== undefined) throw otherFormat(found);
    await createTables(schema);
    await sql`insert into store_format (number) values (${STORE_FORMAT})`.execute(transaction);
  });
}

/** Takes the lock, and creates the table of the number. So a read-only database fails at once. */
async function prepare({ dialect, db, createTable }: TableSchema): Promise<void> {
  if (dialect === 'postgres') {
    await sql`select pg_advisory_xact_lock(hashtextextended('truecast format', 0))`.execute(db);
    await makeSchema(db, 'truecast');
  }
  await createTable('store_format', { number: 'integer' }).ifNotExists().execute();
}

/** Returns the format, 0 for tables without a number, and undefined for an empty database. */
async function readFormat({ dialect, db }: TableSchema): Promise<number | undefined> {
  const numbered = await sql<{ readonly number: number }>`select number from store_format`.execute(db);
  const [row] = numbered.rows;
  if (row !== undefined) return row.number;
  const chats =
    dialect === 'sqlite'
      ? sql`select 1 from sqlite_master where name = 'chats'`
      : sql`select 1 from pg_tables where schemaname = 'truecast' and tablename = 'chats'`;
  return (await chats.execute(db)).rows.length === 0 ? undefined : 0;
}

function otherFormat(found: number): StoreError {
  const isNewer = found > STORE_FORMAT;
  return new StoreError(
    isNewer
      ? `The database has format ${found} of a newer version of Truecast, and this version only reads format ${STORE_FORMAT}: update Truecast, or pass another database.`
      : `The database has format ${found} of an earlier version of Truecast, and this version only reads format ${STORE_FORMAT}: pass another database, or use the version that created this one.`,
    { code: isNewer ? 'newer-database' : 'older-database' },
  );
}
