/** Indexes of the lists of requests and of the pages of a stream: neither reads a row that it does not return. */
import type { Migration } from './migration.ts';

/** Filters of lists, and the chat, whose title is searched. */
const FILTERS = ['id', 'status', 'erased', 'model', 'name', 'schema_hash', 'chat_id'] as const;

const REPLACED = [
  'chat_requests_by_owner',
  'chat_requests_by_schema',
  'chat_requests_by_chat',
  'chat_messages_by_revision',
];

/**
 * Replaces the indexes. SQLite keeps the columns of a row in order, and values and schemas are before
 * the filtered ones. Without these indexes, a filter that few requests pass reads every value.
 *
 * An edit gives all messages after it one revision. Without their id in the index, each page of a stream
 * sorts all of them.
 */
export const listIndexesMigration: Migration = {
  name: '0017-list-indexes',
  up: async ({ db }) => {
    for (const name of REPLACED) await db.schema.dropIndex(name).execute();
    await db.schema
      .createIndex('chat_requests_by_time')
      .on('chat_requests')
      .columns(['owner', 'created_at', ...FILTERS])
      .execute();
    // Also covers the query that counts the requests of each schema.
    await db.schema
      .createIndex('chat_requests_of_schema')
      .on('chat_requests')
      .columns(['owner', 'schema_hash', 'created_at', ...FILTERS.filter((name) => name !== 'schema_hash')])
      .execute();
    await db.schema
      .createIndex('chat_requests_by_revision')
      .on('chat_requests')
      .columns(['chat_id', 'revision', 'id'])
      .execute();
    await db.schema
      .createIndex('chat_messages_by_revision')
      .on('chat_messages')
      .columns(['chat_id', 'revision', 'id', 'visibility', 'deleted'])
      .execute();
  },
};
