/** Labels that clients give their chats. */
import type { Migration } from './migration.ts';

/** Adds the column, which holds a JSON object with sorted keys. */
export const chatLabelsMigration: Migration = {
  name: '0015-chat-labels',
  up: async ({ db, types }) => {
    await db.schema.alterTable('chats').addColumn('labels', types.text).execute();
  },
};
