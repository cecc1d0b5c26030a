/**
 * Format of the database: creates the tables of an empty one, and refuses one of another format. One
 * process at a time.
 */
import { sql, type Kysely, type Transaction } from 'kysely';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { makeSchema, toMigrationSchema, type Migration } from './migrations/migration.ts';
import type { StoreDialect } from './database/store.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Number of the format: the tables, and the JSON in their columns. Raise it with each change of
 * either, also if no table changes, and write the fixture database again.
 */
export const STORE_FORMAT = 3;

/** Dependencies of `migrate`. */
export interface MigrateOptions {
  readonly dialect: StoreDialect;
  /** All steps from an empty database to the format. */
  readonly migrations: readonly Migration[];
  /** ISO 8601, UTC. */
  readonly now: string;
}

/**
 * Creates all tables of an empty database, or none of them. Does nothing in a database of this
 * format.
 *
 * Concurrent callers wait: on SQLite for the transaction, on Postgres for an advisory lock.
 *
 * @throws StoreError `older-database`, `newer-database` for another format. Nothing is changed
 */
export async function migrate(db: Kysely<Tables>, options: MigrateOptions): Promise<void> {
  const { dialect, migrations, now } = options;
  await db.transaction().execute(async (transaction) => {
    await prepare(transaction, dialect);
    const found = await readFormat(transaction);
    if (found === STORE_FORMAT) return;
    if (found !== undefined) throw otherFormat(found);
    for (const { name, up } of migrations) {
      await up(toMigrationSchema(dialect, transaction));
      await sql`insert into schema_migrations (name, applied_at) values (${name}, ${now})`.execute(
        transaction,
      );
    }
    await sql`insert into store_format (number) values (${STORE_FORMAT})`.execute(transaction);
  });
}

/** Takes the lock and creates the tables that describe the database. */
async function prepare(transaction: Transaction<Tables>, dialect: StoreDialect): Promise<void> {
  if (dialect === 'postgres') {
    await sql`select pg_advisory_xact_lock(hashtextextended('truecast migrations', 0))`.execute(transaction);
    await makeSchema(transaction, 'truecast');
  }
  const { createTable, types } = toMigrationSchema(dialect, transaction);
  await createTable('schema_migrations')
    .ifNotExists()
    .addColumn('name', types.text, (column) => column.primaryKey())
    .addColumn('applied_at', types.text, (column) => column.notNull())
    .execute();
  await createTable('store_format')
    .ifNotExists()
    .addColumn('number', types.integer, (column) => column.notNull())
    .execute();
}

/** Returns the format, 0 for a database without a number, and undefined for an empty one. */
async function readFormat(transaction: Transaction<Tables>): Promise<number | undefined> {
  const numbered = await sql<{ readonly number: number }>`select number from store_format`.execute(
    transaction,
  );
  const [row] = numbered.rows;
  if (row !== undefined) return row.number;
  const steps = await sql`select name from schema_migrations limit 1`.execute(transaction);
  return steps.rows.length === 0 ? undefined : 0;
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
