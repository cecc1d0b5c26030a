/** Ledger table. */
import type { Migration } from './migration.ts';

/** Creates `events`. */
export const eventsMigration: Migration = {
  name: '0001-events',
  up: async ({ db, createTable, types }) => {
    await createTable('events')
      .addColumn('offset', types.serialKey)
      .addColumn('id', types.text, (column) => column.notNull().unique())
      .addColumn('run_id', types.text, (column) => column.notNull())
      .addColumn('turn', types.integer, (column) => column.notNull())
      .addColumn('kind', types.text, (column) => column.notNull())
      .addColumn('actor', types.text, (column) => column.notNull())
      .addColumn('payload', types.text, (column) => column.notNull())
      .addColumn('created_at', types.text, (column) => column.notNull())
      .addColumn('schema_version', types.integer, (column) => column.notNull())
      .addColumn('caused_by', types.text)
      .addColumn('model', types.text)
      .addColumn('provenance', types.text)
      .execute();
    await db.schema.createIndex('events_run').on('events').columns(['run_id', 'offset']).execute();
    await db.schema.createIndex('events_kind').on('events').columns(['kind', 'offset']).execute();
    await db.schema.createIndex('events_actor').on('events').columns(['actor', 'offset']).execute();
  },
};
