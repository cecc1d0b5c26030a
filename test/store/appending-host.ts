/** Process that appends events one by one, and prints each id after its row is acknowledged. */
import { writeSync } from 'node:fs';
import { StoreError } from '../../packages/core/src/errors/store-error.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { eventRow } from './event-row.ts';

const [url = '', prefix = '', count = 'Infinity'] = process.argv.slice(2);
const store = await openStore({ url });
for (let index = 0; index < Number(count); index += 1) {
  const id = `${prefix}-${index}`;
  try {
    await store.transaction((tx) => tx.db.insertInto('events').values(eventRow(id)).execute());
  } catch (error) {
    // Stored or not, it was not acknowledged. A server can take long to restart on a busy machine.
    if (StoreError.isInstance(error) && ['commit-unknown', 'connection-lost'].includes(error.code)) continue;
    throw error;
  }
  // Synchronous and unbuffered: exactly the acknowledged ids are printed.
  writeSync(1, `ack ${id}\n`);
}
await store.close();
