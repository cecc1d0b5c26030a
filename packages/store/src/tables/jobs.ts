/** Table type of queue jobs on SQLite. On Postgres pg-boss has its own tables. */
import type { Generated } from 'kysely';

/**
 * One job, deleted when it is done. Times are milliseconds since 1970, because they are compared.
 */
export interface JobsTable {
  readonly id: Generated<number>;
  readonly queue: string;
  readonly key: string;
  readonly payload: string;
  readonly start_after_ms: number;
  /** Number of times a worker took the job. A job that was already taken runs before others with its key. */
  readonly attempt: number;
  /** End of its lease. 0 while it has no worker. */
  readonly held_until_ms: number;
}
