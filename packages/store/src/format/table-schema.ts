/** Builder of tables, and column types with the same meaning on both databases. */
import { sql, type CreateTableBuilder, type RawBuilder, type Transaction } from 'kysely';
import type { StoreDialect } from '../database/store.ts';
import type { Tables } from '../tables/tables.ts';

/** Dependencies of code that creates tables. */
export interface TableSchema {
  readonly dialect: StoreDialect;
  readonly db: Transaction<Tables>;
  /** Starts a table definition. Strict on SQLite, so that both databases enforce column types. */
  createTable(name: string): CreateTableBuilder<string>;
  readonly types: ColumnTypes;
}

/**
 * Column types with the same meaning on both databases. There is no boolean (use 0 or 1) and no
 * time (use ISO 8601 text, UTC).
 */
export interface ColumnTypes {
  /** Compared bytewise on both. */
  readonly text: RawBuilder<unknown>;
  /** 64 bits, read as a number: stay within 2^53. */
  readonly integer: RawBuilder<unknown>;
  readonly real: RawBuilder<unknown>;
  /** A primary key that grows with every insert and is never reused. */
  readonly serialKey: RawBuilder<unknown>;
}

const TYPES = {
  sqlite: {
    text: sql`text`,
    integer: sql`integer`,
    real: sql`real`,
    serialKey: sql`integer primary key autoincrement`,
  },
  postgres: {
    text: sql`text collate "C"`,
    integer: sql`bigint`,
    real: sql`double precision`,
    serialKey: sql`bigint generated always as identity primary key`,
  },
} as const satisfies Record<StoreDialect, ColumnTypes>;

/** Creates the builder of a database. */
export function tableSchemaOf(dialect: StoreDialect, db: Transaction<Tables>): TableSchema {
  return {
    dialect,
    db,
    types: TYPES[dialect],
    createTable: (name) => {
      const table = db.schema.createTable(name);
      return dialect === 'sqlite' ? table.modifyEnd(sql`strict`) : table;
    },
  };
}

/**
 * Creates a schema on Postgres. Checks first, so that a user without the right to create schemas
 * can use an existing one.
 */
export async function makeSchema(db: Transaction<Tables>, name: string): Promise<void> {
  const found = await sql`select 1 from pg_namespace where nspname = ${name}`.execute(db);
  if (found.rows.length === 0) await sql`create schema ${sql.ref(name)}`.execute(db);
}
