/** Erasure of deleted chats, and the audit log. */
import type { Migration } from './migration.ts';

/**
 * Adds the columns and the table. Responses of an older version have no chat, and are deleted after
 * a day.
 */
export const erasureMigration: Migration = {
  name: '0007-erasure',
  up: async ({ db, createTable, types }) => {
    await db.schema.alterTable('idempotency_keys').addColumn('chat_id', types.text).execute();
    await db.schema
      .createIndex('idempotency_keys_by_chat')
      .on('idempotency_keys')
      .columns(['chat_id'])
      .execute();
    await db.schema
      .alterTable('chat_requests')
      .addColumn('erased', types.integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await createTable('audit_log')
      .addColumn('id', types.serialKey)
      .addColumn('at', types.integer, (column) => column.notNull())
      .addColumn('action', types.text, (column) => column.notNull())
      .addColumn('actor', types.text, (column) => column.notNull())
      .addColumn('owner', types.text)
      .addColumn('subject', types.text)
      .addColumn('detail', types.text, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('audit_log_by_owner').on('audit_log').columns(['owner', 'id']).execute();
  },
};
