/**
 * Process that executes runs of a store with an executor that only waits. Its arguments are the address of
 * the store and the limit of a repository.
 */
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeadWorker, nameWorker } from '../../packages/server/src/runner/workers/worker-name.ts';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { RUN_QUEUE, startRunWorker } from '../../packages/server/src/runs/workers/run-scheduler.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';

const [url = '', perRepository = ''] = process.argv.slice(2);
const ignore = (): void => undefined;
const store = await openStore({ url, onWarning: ignore });
const queue = await openJobQueue({ store, queues: [RUN_QUEUE], onWarning: ignore });
const machine = createRunMachine({ store, limits: { perRepository: Number(perRepository) }, isDeadWorker });
await startRunWorker(
  {
    machine,
    queue,
    worker: nameWorker(),
    isDeadWorker,
    onFault: ignore,
    executor: {
      offers: { repositories: ['web'], agents: ['claude-code'] },
      places: 3,
      execute: async ({ execution }, report) => {
        await report.note({ phase: 'working', sessionId: `s${execution}` });
        report.event({ type: 'text', text: 'Working.' });
        await sleep(30 + Math.random() * 120);
        await report.note({ phase: 'answered' });
        await sleep(Math.random() * 30);
        return { status: 'succeeded', text: `By ${execution}.` };
      },
    },
  },
  { sweepMs: 200 },
);
// It is killed, and a later one reads this.
flushCompileCache();
