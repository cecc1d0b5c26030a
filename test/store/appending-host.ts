/** Is a process that appends events one by one, and tells each id once its row is acknowledged. */
import { writeSync } from 'node:fs';
import { StoreError } from '../../src/errors/store-error.ts';
import { openStore } from '../../src/store/open-store.ts';
import { eventRow } from './event-row.ts';

const [url = '', prefix = '', count = 'Infinity'] = process.argv.slice(2);
const store = await openStore({ url });
for (let index = 0; index < Number(count); index += 1) {
  const id = `${prefix}-${index}`;
  try {
    await store.transaction((tx) => tx.db.insertInto('events').values(eventRow(id)).execute());
  } catch (error) {
    // Stored or not, nobody was told that it is. A server may take long to come back on a busy machine.
    if (StoreError.isInstance(error) && ['commit-unknown', 'connection-lost'].includes(error.code)) continue;
    throw error;
  }
  // At once and past every buffer: what is told was acknowledged, and what was acknowledged is told.
  writeSync(1, `ack ${id}\n`);
}
await store.close();
