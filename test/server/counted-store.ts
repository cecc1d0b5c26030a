/**
 * Store wrapper that reports each commit with changes right after it, before any listener is
 * notified.
 */
import {
  TableNode,
  type KyselyPlugin,
  type OperationNode,
  type QueryResult,
  type RootOperationNode,
} from 'kysely';
import type { Store } from '../../packages/store/src/database/store.ts';

/** Heartbeats and jobs of the sweep depend on the clock and belong to no turn. */
const BY_THE_CLOCK: ReadonlySet<string> = new Set([
  'update chat_leases',
  'insert run_workers',
  'delete run_workers',
  'insert jobs',
  'update jobs',
  'delete jobs',
]);
/**
 * Returns the store with `onCommit` called after each commit and its changes, and `beforeCommit` between the
 * changes of a transaction and its commit. Jobs are not reported, neither pg-boss's nor SQLite's, because
 * they are hints.
 */
export function countCommits(
  store: Store,
  onCommit: (wrote: string) => void,
  beforeCommit: (wrote: string) => void = () => undefined,
): Store {
  const single = recorder((wrote) => {
    if (!BY_THE_CLOCK.has(wrote)) onCommit(wrote);
  });
  return {
    ...store,
    db: store.db.withPlugin(single),
    transaction: (work) =>
      store.transaction((tx) => {
        const wrote = new Set<string>();
        // Runs first after the commit.
        tx.afterCommit(() => {
          if (wrote.size > 0) onCommit([...wrote].join(', '));
        });
        return work({ ...tx, db: tx.db.withPlugin(recorder((what) => wrote.add(what))) }).then((result) => {
          if (wrote.size > 0) beforeCommit([...wrote].join(', '));
          return result;
        });
      }),
  };
}

/** Reports each statement that changed a row. */
function recorder(onWrite: (wrote: string) => void): KyselyPlugin {
  const writes = new WeakMap<object, string>();
  return {
    transformQuery: ({ node, queryId }) => {
      const wrote = describeWrite(node);
      if (wrote !== undefined) writes.set(queryId, wrote);
      return node;
    },
    transformResult: ({ result, queryId }) => {
      const wrote = writes.get(queryId);
      if (wrote !== undefined && didWrite(result)) onWrite(wrote);
      return Promise.resolve(result);
    },
  };
}

function describeWrite(node: RootOperationNode): string | undefined {
  switch (node.kind) {
    case 'InsertQueryNode':
      return `insert ${nameOf(node.into)}`;
    case 'UpdateQueryNode':
      return `update ${nameOf(node.table)}`;
    case 'DeleteQueryNode':
      return `delete ${nameOf(node.from.froms[0])}`;
    default:
      return undefined;
  }
}

function nameOf(table: OperationNode | undefined): string {
  return table !== undefined && TableNode.is(table) ? table.table.identifier.name : '?';
}

function didWrite({ numAffectedRows = 0n, rows }: QueryResult<unknown>): boolean {
  return numAffectedRows > 0n || rows.length > 0;
}
