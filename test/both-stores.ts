/** Runs a suite on both databases, with one store for all its tests. */
import { afterAll, beforeAll } from 'vitest';
import { openStore } from '../packages/store/src/open-store.ts';
import type { Store } from '../packages/store/src/database/store.ts';
import { describeOnBothStores as declareOnBothStores } from './describe-on-both-stores.ts';

/**
 * Runs `suite` on each database. `open` returns the suite's store, inside of a test. `row` is the database's row in the
 * matrix of databases and cases.
 */
export function describeOnBothStores(title: string, suite: (open: () => Store, row: number) => void): void {
  declareOnBothStores(title, ({ freshUrl, row }) => {
    let store: Store | undefined;
    beforeAll(async () => {
      store = await openStore({ url: await freshUrl() });
    });
    afterAll(() => store?.close());
    suite(() => store!, row);
  });
}
