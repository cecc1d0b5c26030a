/** Table type of ledger events. */
import type { RowOf } from './columns.ts';

export const EVENTS = {
  /**
   * Assigned in insertion order. Visible in that order if appends take `lockName(tx, 'events')`.
   */
  offset: 'serial',
  id: 'text',
  run_id: 'text',
  turn: 'integer',
  kind: 'text',
  actor: 'text',
  payload: 'text',
  created_at: 'text',
  schema_version: 'integer',
  caused_by: 'text?',
  model: 'text?',
  provenance: 'text?',
} as const;
/** One event. `payload` and `provenance` are JSON text. Rows are only inserted. */
export interface EventsTable extends RowOf<typeof EVENTS> {}
