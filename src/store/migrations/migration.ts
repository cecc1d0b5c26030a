/** Owns what a migration is, and the types by which one code makes the same table on both databases. */
import { sql, type CreateTableBuilder, type RawBuilder, type Transaction } from 'kysely';
import type { StoreDialect } from '../store.ts';
import type { Tables } from '../tables/tables.ts';

/** One step of the schema. Never changed once it is released: what comes after is a step of its own. */
export interface Migration {
  /** Four digits and words, as its file is named; steps are taken in the order of their list. */
  readonly name: string;
  /** Runs in the transaction of all the steps: it is done whole or not at all. */
  up(schema: MigrationSchema): Promise<void>;
}

/** What a migration works with. */
export interface MigrationSchema {
  readonly dialect: StoreDialect;
  readonly db: Transaction<Tables>;
  /** Begins a table; on SQLite a strict one, so that both databases hold columns to their types. */
  createTable(name: string): CreateTableBuilder<string>;
  readonly types: ColumnTypes;
}

/** Column types that mean the same on both databases. There is no boolean (0 or 1) and no time (ISO 8601 text, UTC). */
export interface ColumnTypes {
  /** Compared byte by byte on both. */
  readonly text: RawBuilder<unknown>;
  /** 64 bits; read as a number, so keep within 2^53. */
  readonly integer: RawBuilder<unknown>;
  readonly real: RawBuilder<unknown>;
  /** A primary key that grows with every insert and is never given twice. */
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

/** Gives a migration what it works with, inside `db`. */
export function toMigrationSchema(dialect: StoreDialect, db: Transaction<Tables>): MigrationSchema {
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

/** Makes a schema on Postgres; asked first, so that a user without the right to make one can use what was made for them. */
export async function makeSchema(db: Transaction<Tables>, name: string): Promise<void> {
  const found = await sql`select 1 from pg_namespace where nspname = ${name}`.execute(db);
  if (found.rows.length === 0) await sql`create schema ${sql.ref(name)}`.execute(db);
}
