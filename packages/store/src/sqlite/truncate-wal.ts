/** Truncates the write-ahead log of a SQLite file, which contains older versions of rows. */
import { sql } from 'kysely';
import type { Store } from '../database/store.ts';

/**
 * Moves the log into the file and truncates it. Does nothing while another process reads the log,
 * or on Postgres.
 */
export async function truncateWal({ dialect, db }: Pick<Store, 'dialect' | 'db'>): Promise<void> {
  if (dialect === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
