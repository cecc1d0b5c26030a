/** Process that takes a job, prints its payload, and never finishes it. */
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { openStore } from '../../packages/store/src/open-store.ts';

const [url = ''] = process.argv.slice(2);
const store = await openStore({ url });
const queue = await openJobQueue({ store, queues: ['turns'], onWarning: () => {} });
await queue.work('turns', {}, async ({ payload }) => {
  process.send?.(payload);
  await new Promise(() => {});
});
