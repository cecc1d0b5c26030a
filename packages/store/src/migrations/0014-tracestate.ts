/** State of the trace of a chat's turn and of a queued message. */
import type { Migration } from './migration.ts';

/** Adds the columns, which hold `tracestate` headers. */
export const tracestateMigration: Migration = {
  name: '0014-tracestate',
  up: async ({ db }) => {
    await db.schema.alterTable('chats').addColumn('tracestate', 'text').execute();
    await db.schema.alterTable('chat_queue').addColumn('tracestate', 'text').execute();
  },
};
