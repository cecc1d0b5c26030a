/** Sums of ended requests for quality reports, and the index of the requests that no sum contains yet. */
import type { Migration } from './migration.ts';

/** Adds the tables. They are empty: a report fills them from the requests. */
export const qualitySumsMigration: Migration = {
  name: '0018-quality-sums',
  up: async ({ db, createTable, types }) => {
    await createTable('quality_sums')
      .addColumn('owner', types.text, (column) => column.notNull())
      .addColumn('width', types.text, (column) => column.notNull())
      .addColumn('start', types.integer, (column) => column.notNull())
      // A hash, because Postgres limits the size of an index's row.
      .addColumn('key', types.text, (column) => column.notNull())
      .addColumn('facts', types.text, (column) => column.notNull())
      .addColumn('answers', types.integer, (column) => column.notNull())
      .addColumn('first_try', types.integer, (column) => column.notNull())
      .addColumn('valid', types.integer, (column) => column.notNull())
      .addColumn('attempts', types.integer, (column) => column.notNull())
      .addColumn('unanswered', types.integer, (column) => column.notNull())
      .addColumn('cost_usd', types.real)
      // A row of a field has no other counts.
      .addColumn('path', types.text)
      .addColumn('rule', types.text)
      .addColumn('failed', types.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('quality_sums_key', ['owner', 'width', 'start', 'key'])
      .execute();
    await createTable('quality_marks')
      .addColumn('owner', types.text, (column) => column.primaryKey())
      .addColumn('ended_at', types.integer, (column) => column.notNull())
      .addColumn('id', types.text, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('chat_requests_by_end')
      .on('chat_requests')
      .columns(['owner', 'ended_at', 'id', 'status', 'erased'])
      .execute();
  },
};
