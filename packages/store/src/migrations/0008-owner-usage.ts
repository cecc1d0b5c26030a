/** Usage of owners per period, for quotas. */
import type { Migration } from './migration.ts';

/** Adds the table. An owner's usage counts from the owner's first row. */
export const ownerUsageMigration: Migration = {
  name: '0008-owner-usage',
  up: async ({ createTable, types }) => {
    await createTable('owner_usage')
      .addColumn('owner', types.text, (column) => column.notNull())
      .addColumn('period', types.text, (column) => column.notNull())
      .addColumn('turns', types.integer, (column) => column.notNull())
      .addColumn('tokens', types.integer, (column) => column.notNull())
      .addColumn('cost_micro_usd', types.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('owner_usage_key', ['owner', 'period'])
      .execute();
  },
};
