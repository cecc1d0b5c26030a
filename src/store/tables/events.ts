/** Owns the row of an event on the ledger. */
import type { Generated } from 'kysely';

/** One event; `payload` and `provenance` are JSON text. Rows are only ever added. */
export interface EventsTable {
  /** Given in the order of insertion; visible in that order when appends take `lockName(tx, 'events')`. */
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
