/** Is a process that takes a job, tells its payload, and never ends it. */
import { openJobQueue } from '../../src/store/queue/open-job-queue.ts';
import { openStore } from '../../src/store/open-store.ts';

const [url = ''] = process.argv.slice(2);
const store = await openStore({ url });
const queue = await openJobQueue({ store, queues: ['turns'], onWarning: () => {} });
await queue.work('turns', {}, async ({ payload }) => {
  process.send?.(payload);
  await new Promise(() => {});
});
