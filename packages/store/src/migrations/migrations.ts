/** All migrations, oldest first. With a new one, raise `STORE_FORMAT`. */
import { eventsMigration } from './0001-events.ts';
import { chatsMigration } from './0002-chats.ts';
import { jobsMigration } from './0003-jobs.ts';
import { tokenScopesMigration } from './0004-token-scopes.ts';
import { retryAtMigration } from './0005-retry-at.ts';
import { deadlinesMigration } from './0006-deadlines.ts';
import { erasureMigration } from './0007-erasure.ts';
import { ownerUsageMigration } from './0008-owner-usage.ts';
import { traceparentMigration } from './0009-traceparent.ts';
import { requestsByOwnerMigration } from './0010-requests-by-owner.ts';
import { schemaUseMigration } from './0011-schema-use.ts';
import { clientIdsMigration } from './0012-client-ids.ts';
import { chatsByChangeMigration } from './0013-chats-by-change.ts';
import { tracestateMigration } from './0014-tracestate.ts';
import { chatLabelsMigration } from './0015-chat-labels.ts';
import { receiptDialectMigration } from './0016-receipt-dialect.ts';
import { listIndexesMigration } from './0017-list-indexes.ts';
import { qualitySumsMigration } from './0018-quality-sums.ts';
import type { Migration } from './migration.ts';

/** Every migration from an empty database to the current schema. */
export const MIGRATIONS: readonly Migration[] = [
  eventsMigration,
  chatsMigration,
  jobsMigration,
  tokenScopesMigration,
  retryAtMigration,
  deadlinesMigration,
  erasureMigration,
  ownerUsageMigration,
  traceparentMigration,
  requestsByOwnerMigration,
  schemaUseMigration,
  clientIdsMigration,
  chatsByChangeMigration,
  tracestateMigration,
  chatLabelsMigration,
  receiptDialectMigration,
  listIndexesMigration,
  qualitySumsMigration,
];
