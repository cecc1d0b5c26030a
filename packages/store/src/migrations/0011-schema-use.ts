/** Schema name of a request, and an index of an owner's requests by schema. */
import type { Migration } from './migration.ts';

/** Adds the column and the index. Requests of an older version have no name. */
export const schemaUseMigration: Migration = {
  name: '0011-schema-use',
  up: async ({ db, types }) => {
    await db.schema.alterTable('chat_requests').addColumn('name', types.text).execute();
    // Covers the query that counts the requests of each schema.
    await db.schema
      .createIndex('chat_requests_by_schema')
      .on('chat_requests')
      .columns(['owner', 'schema_hash', 'created_at', 'status', 'erased'])
      .execute();
  },
};
