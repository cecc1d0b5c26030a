/** Index of an owner's requests, for their list. */
import type { Migration } from './migration.ts';

/** Adds the index. */
export const requestsByOwnerMigration: Migration = {
  name: '0010-requests-by-owner',
  up: async ({ db }) => {
    await db.schema
      .createIndex('chat_requests_by_owner')
      .on('chat_requests')
      .columns(['owner', 'created_at', 'id'])
      .execute();
  },
};
