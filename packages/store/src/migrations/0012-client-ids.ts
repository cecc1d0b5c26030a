/** Ids that clients choose for chats and messages, and the version at which a turn began. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Adds the columns and their unique indexes. Chats of an older version have no turn version. */
export const clientIdsMigration: Migration = {
  name: '0012-client-ids',
  up: async ({ db, types }) => {
    for (const table of ['chats', 'chat_messages', 'chat_queue'] as const)
      await db.schema.alterTable(table).addColumn('client_id', types.text).execute();
    await db.schema.alterTable('chats').addColumn('turn_version', types.integer).execute();
    await db.schema
      .createIndex('chats_by_client_id')
      .unique()
      .on('chats')
      .columns(['owner', 'client_id'])
      .where(sql<boolean>`client_id is not null`)
      .execute();
    // The id of a message that an edit removed can be used again.
    await db.schema
      .createIndex('chat_messages_by_client_id')
      .unique()
      .on('chat_messages')
      .columns(['chat_id', 'client_id'])
      .where(sql<boolean>`client_id is not null and deleted = 0`)
      .execute();
  },
};
