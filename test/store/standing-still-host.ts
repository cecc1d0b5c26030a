/** Process that stops inside a transaction. Its argument is the store's address. */
import { lockName } from '../../packages/store/src/locks.ts';
import { openStore } from '../../packages/store/src/open-store.ts';

const [url = ''] = process.argv.slice(2);
const store = await openStore({ url });
await store.transaction(async (tx) => {
  await lockName(tx, 'held');
  process.kill(process.pid, 'SIGSTOP');
});
