/** Token scopes and expiry, and the row that the readiness check writes. */
import type { Migration } from './migration.ts';

/** Adds the columns and the table. Tokens of an older version have only the scope `chats`. */
export const tokenScopesMigration: Migration = {
  name: '0004-token-scopes',
  up: async ({ db, createTable, types }) => {
    await db.schema
      .alterTable('access_tokens')
      .addColumn('scopes', types.text, (column) => column.notNull().defaultTo('chats'))
      .execute();
    await db.schema.alterTable('access_tokens').addColumn('expires_at', types.integer).execute();
    await createTable('readiness_probes')
      .addColumn('id', types.text, (column) => column.primaryKey())
      .addColumn('written_at', types.integer, (column) => column.notNull())
      .execute();
  },
};
