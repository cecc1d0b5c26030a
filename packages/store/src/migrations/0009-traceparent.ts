/** Trace of a chat's turn and of a queued message. */
import type { Migration } from './migration.ts';

/** Adds the columns, which hold `traceparent` headers. */
export const traceparentMigration: Migration = {
  name: '0009-traceparent',
  up: async ({ db }) => {
    await db.schema.alterTable('chats').addColumn('traceparent', 'text').execute();
    await db.schema.alterTable('chat_queue').addColumn('traceparent', 'text').execute();
  },
};
