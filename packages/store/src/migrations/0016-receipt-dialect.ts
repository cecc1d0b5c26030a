/** Schema mode of the model that answered a request. */
import type { Migration } from './migration.ts';

/** Adds the column. It is null in receipts of an older version. */
export const receiptDialectMigration: Migration = {
  name: '0016-receipt-dialect',
  up: async ({ db }) => {
    await db.schema.alterTable('chat_requests').addColumn('dialect', 'text').execute();
  },
};
