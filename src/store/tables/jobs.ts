/** Owns the row of a job in the queue on SQLite; on Postgres pg-boss has tables of its own. */
import type { Generated } from 'kysely';

/** One job, gone when it is done. Times are milliseconds since 1970: they are compared. */
export interface JobsTable {
  readonly id: Generated<number>;
  readonly queue: string;
  readonly key: string;
  readonly payload: string;
  readonly start_after_ms: number;
  /** How often it was taken; one that was taken goes before the others of its key. */
  readonly attempt: number;
  /** It is its worker's until then; 0 while nobody has it. */
  readonly held_until_ms: number;
}
