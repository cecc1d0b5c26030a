/** Index of an owner's chats by their last change, for their list and their stream. */
import type { Migration } from './migration.ts';

/** Adds the index. */
export const chatsByChangeMigration: Migration = {
  name: '0013-chats-by-change',
  up: async ({ db }) => {
    await db.schema
      .createIndex('chats_by_change')
      .on('chats')
      .columns(['owner', 'updated_at', 'id'])
      .execute();
  },
};
