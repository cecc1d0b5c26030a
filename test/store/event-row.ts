/** Event row for tests that check its id. */
import type { Insertable } from 'kysely';
import type { EventsTable } from '../../packages/store/src/tables/events.ts';

/** Creates a row of `events`. */
export function eventRow(id: string): Insertable<EventsTable> {
  return {
    id,
    run_id: 'run',
    turn: 1,
    kind: 'agent.spoke',
    actor: 'ada',
    payload: '{}',
    created_at: '2026-01-01T00:00:00.000Z',
    schema_version: 1,
    caused_by: null,
    model: null,
    provenance: null,
  };
}
