/** Builder of tables from their columns, with the same meaning on both databases. */
import { sql, type ColumnDefinitionBuilder, type CreateTableBuilder, type Transaction } from 'kysely';
import type { StoreDialect } from '../database/store.ts';
import type { Columns, ColumnType } from '../tables/columns.ts';
import type { Tables } from '../tables/tables.ts';

/** Dependencies of code that creates tables. */
export interface TableSchema {
  readonly dialect: StoreDialect;
  readonly db: Transaction<Tables>;
  /**
   * Starts the definition of a table with these columns. Strict on SQLite, so that both databases
   * enforce column types. `changes` replace the constraint `not null` of a column.
   */
  createTable(name: string, columns: Columns, changes?: ColumnChanges): CreateTableBuilder<string, string>;
}

/** Constraints of single columns, by name. */
export type ColumnChanges = Readonly<
  Record<string, (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder>
>;

export const KEY: ColumnChanges[string] = (column) => column.primaryKey();
export const UNIQUE: ColumnChanges[string] = (column) => column.notNull().unique();

const TYPES = {
  sqlite: {
    text: sql`text`,
    integer: sql`integer`,
    flag: sql`integer`,
    real: sql`real`,
    bytes: sql`blob`,
    serial: sql`integer primary key autoincrement`,
  },
  postgres: {
    text: sql`text collate "C"`,
    integer: sql`bigint`,
    flag: sql`bigint`,
    real: sql`double precision`,
    bytes: sql`bytea`,
    serial: sql`bigint generated always as identity primary key`,
  },
} as const satisfies Record<StoreDialect, Record<ColumnType, unknown>>;

/** Creates the builder of a database. */
export function tableSchemaOf(dialect: StoreDialect, db: Transaction<Tables>): TableSchema {
  return {
    dialect,
    db,
    createTable: (name, columns, changes = {}) => {
      const table: CreateTableBuilder<string, string> = db.schema.createTable(name);
      return Object.entries(columns).reduce(
        (defined, [column, given]) => {
          const type = given.replace('?', '') as ColumnType; // Without the mark of null.
          const isOptional = given !== type || type === 'serial';
          const constrain = changes[column] ?? (isOptional ? unchanged : notNull);
          return defined.addColumn(column, TYPES[dialect][type], constrain);
        },
        dialect === 'sqlite' ? table.modifyEnd(sql`strict`) : table,
      );
    },
  };
}

const notNull: ColumnChanges[string] = (column) => column.notNull();
const unchanged: ColumnChanges[string] = (column) => column;

/**
 * Creates a schema on Postgres. Checks first, so that a user without the right to create schemas
 * can use an existing one.
 */
export async function makeSchema(db: Transaction<Tables>, name: string): Promise<void> {
  const found = await sql`select 1 from pg_namespace where nspname = ${name}`.execute(db);
  if (found.rows.length === 0) await sql`create schema ${sql.ref(name)}`.execute(db);
}
