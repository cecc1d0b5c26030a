/**
 * Worker of agent runs with the real executor, which pauses before and after each commit: it prints a line
 * with the point's name and waits for one byte. Its arguments are the store's address and the configuration
 * as JSON, and times of the worker as JSON. At SIGTERM it leaves its runs.
 */
import { readSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { z } from 'zod';
import { readServerConfig } from '../../packages/server/src/config/read-server-config.ts';
import { isDeadWorker, nameWorker } from '../../packages/server/src/runner/workers/worker-name.ts';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import {
  RUN_QUEUE,
  startRunWorker,
  type RunWorkerOptions,
} from '../../packages/server/src/runs/workers/run-scheduler.ts';
import { openExecutor } from '../../packages/server/src/serve/open-runs.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { forgetQuickFork } from '../runner/quick-fork.ts';
import { countCommits } from './counted-store.ts';

const [url = '', config = '{}', times = '{}'] = process.argv.slice(2);
forgetQuickFork();

function standStill(point: string): void {
  writeSync(1, `${point}\n`);
  readSync(0, Buffer.alloc(1));
}

/** Times of the worker in milliseconds, which the test chose. */
function readTimes(text: string): RunWorkerOptions & { readonly joinMs?: number } {
  const ms = z.number().exactOptional();
  return z.object({ leaseMs: ms, heartbeatMs: ms, joinMs: ms }).parse(JSON.parse(text));
}

/** Time for which a worker joins events and notes. */
const JOIN_MS = 250;
const { joinMs = JOIN_MS, ...workerTimes } = readTimes(times);
const timeout = globalThis.setTimeout;
globalThis.setTimeout = Object.assign(
  (work: () => void, ms?: number) => timeout(work, ms === JOIN_MS ? joinMs : ms),
  timeout,
);

const plain = await openStore({ url, onWarning: () => undefined });
const store = countCommits(
  plain,
  (wrote) => standStill(`after ${wrote}`),
  (wrote) => standStill(`before ${wrote}`),
);
const queue = await openJobQueue({ store: plain, queues: [RUN_QUEUE] });
const executor = await openExecutor(readServerConfig(JSON.parse(config), 'The configuration'), {
  environment: process.env,
});
if (executor === undefined) throw new TypeError('The configuration has no `runs`.');
const worker = await startRunWorker(
  {
    machine: createRunMachine({ store, isDeadWorker }),
    queue,
    worker: nameWorker(),
    isDeadWorker,
    onFault: (message, cause) => void process.stderr.write(`${message} ${String(cause)}\n`),
    executor,
  },
  { sweepMs: 200, closeTimeoutMs: 60_000, ...workerTimes },
);
process.once('SIGTERM', () => {
  void worker
    .close()
    .then(() => queue.close())
    .then(() => plain.close());
});
// It will be killed. The next one starts faster with its compile cache.
flushCompileCache();
