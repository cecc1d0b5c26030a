/** Table type of ledger events. */
import type { Generated } from 'kysely';

/** One event. `payload` and `provenance` are JSON text. Rows are only inserted. */
export interface EventsTable {
  /**
   * Assigned in insertion order. Visible in that order if appends take `lockName(tx, 'events')`.
   */
  readonly offset: Generated<number>;
  readonly id: string;
  readonly run_id: string;
  readonly turn: number;
  readonly kind: string;
  readonly actor: string;
  readonly payload: string;
  readonly created_at: string;
  readonly schema_version: number;
  readonly caused_by: string | null;
  readonly model: string | null;
  readonly provenance: string | null;
}
