/** Table type of queue jobs on SQLite. On Postgres pg-boss has its own tables. */
import type { RowOf } from './columns.ts';

export const JOBS = {
  id: 'serial',
  queue: 'text',
  key: 'text',
  payload: 'text',
  start_after_ms: 'integer',
  /** Number of times a worker took the job. A job that was already taken runs before others with its key. */
  attempt: 'integer',
  /** End of its lease. 0 while it has no worker. */
  held_until_ms: 'integer',
} as const;
/**
 * One job, deleted when it is done. Times are milliseconds since 1970, because they are compared.
 */
export interface JobsTable extends RowOf<typeof JOBS> {}
