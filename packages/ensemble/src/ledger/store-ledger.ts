/** Ledger of an open store: one insert per event, in one order for all readers. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { lockName } from '@truecast/store/internal/locks';
import { oneAtATime } from '@truecast/store/internal/one-at-a-time';
import type { Store, StoreTransaction } from '@truecast/store/internal/database/store';
import type { EventsTable } from '@truecast/store/internal/tables/events';
import { EVENTS_CHANNEL, watchEvents } from '@truecast/store/internal/watch-events';
import type { EventRows, UnplacedEvent } from './event-rows.ts';
import { grantTable, type LedgerOptions } from './grant-table.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import type { EventProvenance, LedgerEvent } from './ledger-event.ts';
import { sealJson } from './seal-json.ts';

type EventRow = Omit<EventsTable, 'offset'> & { readonly offset: number };

/**
 * Returns the ledger of a store for a cast. The caller closes the store.
 *
 * @throws UsageError `invalid-option` for a name or kind of the engine in the cast, or an invalid
 *   kind
 */
export function storeLedger(store: Store, { cast = [], clock = Date.now }: LedgerOptions = {}): Ledger {
  return makeLedger({ rows: storeRows(store), grants: grantTable(cast), clock });
}

function storeRows(store: Store): EventRows {
  return {
    append: async (event) => await appendOnce(store, event),
    async read({ afterOffset, limit, runId, kinds }) {
      let query = store.db.selectFrom('events').selectAll().where('offset', '>', afterOffset);
      if (runId !== undefined) query = query.where('run_id', '=', runId);
      if (kinds !== undefined) query = query.where('kind', 'in', kinds);
      const rows = await query.orderBy('offset').limit(limit).execute();
      return rows.map(toEvent);
    },
    onAppend: (callback) => watchEvents(store, callback),
  };
}

async function appendOnce(store: Store, event: UnplacedEvent): Promise<LedgerEvent> {
  const append = (): Promise<LedgerEvent> =>
    oneAtATime(store, EVENTS_CHANNEL, () => store.transaction((tx) => insert(tx, event)));
  try {
    return await append();
  } catch (error) {
    // The outcome is unknown. The id makes the retry idempotent.
    if (StoreError.isInstance(error) && error.code === 'commit-unknown') return await append();
    throw error;
  }
}

async function insert(tx: StoreTransaction, event: UnplacedEvent): Promise<LedgerEvent> {
  // Offsets become visible in order, so that a follower that remembers the last one misses none.
  await lockName(tx, EVENTS_CHANNEL);
  const inserted = await tx.db
    .insertInto('events')
    .values(toRow(event))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('offset')
    .executeTakeFirst();
  if (inserted === undefined) {
    const row = await tx.db
      .selectFrom('events')
      .selectAll()
      .where('id', '=', event.id)
      .executeTakeFirstOrThrow();
    return toEvent(row);
  }
  await tx.notify(EVENTS_CHANNEL, event.runId);
  return Object.freeze({ ...event, offset: inserted.offset });
}

function toRow(event: UnplacedEvent): Omit<EventsTable, 'offset'> {
  return {
    id: event.id,
    run_id: event.runId,
    turn: event.turn,
    kind: event.kind,
    actor: event.actor,
    payload: JSON.stringify(event.payload),
    created_at: event.createdAt,
    schema_version: event.schemaVersion,
    caused_by: event.causedBy ?? null,
    model: event.model ?? null,
    provenance: event.provenance === undefined ? null : JSON.stringify(event.provenance),
  };
}

function toEvent(row: EventRow): LedgerEvent {
  return Object.freeze({
    id: row.id,
    runId: row.run_id,
    offset: row.offset,
    turn: row.turn,
    kind: row.kind,
    actor: row.actor,
    payload: readObject(row, 'payload'),
    createdAt: row.created_at,
    schemaVersion: 1,
    ...(row.caused_by !== null && { causedBy: row.caused_by }),
    ...(row.model !== null && { model: row.model }),
    ...(row.provenance !== null && {
      provenance: readObject(row, 'provenance') as unknown as EventProvenance,
    }),
  });
}

/** Parses rows that the gate wrote. Folds still treat them as untrusted. */
function readObject(row: EventRow, column: 'payload' | 'provenance'): LedgerEvent['payload'] {
  try {
    const value: unknown = JSON.parse(row[column] ?? '');
    if (isRecord(value)) return sealJson(value);
  } catch (cause) {
    throw damaged(row, column, cause);
  }
  throw damaged(row, column, undefined);
}

function damaged({ offset }: EventRow, column: string, cause: unknown): LedgerError {
  return new LedgerError(
    `Expected \`${column}\` of the event at ${offset} to be the appended value, got another. Restore the database from a backup.`,
    { code: 'invalid-event', cause },
  );
}
