/** Schema migration by one process at a time. Rejects a database that is newer than the program. */
import { sql, type Kysely, type Transaction } from 'kysely';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { makeSchema, toMigrationSchema, type Migration } from './migrations/migration.ts';
import type { StoreDialect } from './database/store.ts';
import type { Tables } from './tables/tables.ts';

/** Dependencies of `migrate`. */
export interface MigrateOptions {
  readonly dialect: StoreDialect;
  readonly migrations: readonly Migration[];
  /** ISO 8601, UTC. */
  readonly now: string;
}

/**
 * Applies all pending migrations, or none of them.
 *
 * Concurrent callers wait: on SQLite for the transaction, on Postgres for an advisory lock.
 *
 * @throws StoreError `newer-database` if the database has a migration that this program does not
 *   know
 */
export async function migrate(db: Kysely<Tables>, options: MigrateOptions): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await prepare(transaction, options.dialect);
    const taken = await sql<{ readonly name: string }>`select name from schema_migrations`.execute(
      transaction,
    );
    const names = taken.rows.map(({ name }) => name);
    refuseNewer(names, options.migrations);
    const missing = options.migrations.filter(({ name }) => !names.includes(name));
    for (const { name, up } of missing) {
      await up(toMigrationSchema(options.dialect, transaction));
      await sql`insert into schema_migrations (name, applied_at) values (${name}, ${options.now})`.execute(
        transaction,
      );
    }
  });
}

/** Takes the lock and creates the table of migrations. */
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
}

function refuseNewer(taken: readonly string[], migrations: readonly Migration[]): void {
  const unknown = taken.find((name) => migrations.every((migration) => migration.name !== name));
  if (unknown === undefined) return;
  throw new StoreError(
    `The database was created by a newer version of Truecast: this version does not know its migration \`${unknown}\`. Update Truecast, or pass another database.`,
    { code: 'newer-database' },
  );
}
