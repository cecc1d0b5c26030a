/**
 * Whole server, HTTP and worker, that pauses after each commit and each tool effect: it prints a
 * line with the point's name and waits for one byte. Its arguments are the store's address, the
 * model's address, and a folder for the effects.
 */
import { readSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { listenHttp } from '../../packages/server/src/http/app/listen-http.ts';
import { liveParts } from '../../packages/server/src/live/live-parts.ts';
import { compatibleModel } from '../../packages/server/src/models/resolve-model.ts';
import { startTurnScheduler, TURN_QUEUE } from '../../packages/server/src/runner/workers/turn-scheduler.ts';
import { createChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { countCommits } from './counted-store.ts';
import { effectTools } from './effect-tools.ts';
import { testModels } from '../../packages/server/src/http/test-models.ts';

const [url = '', modelUrl = '', folder = ''] = process.argv.slice(2);
const LEASE_MS = 1_500;

function standStill(point: string): void {
  writeSync(1, `${point}\n`);
  readSync(0, Buffer.alloc(1));
}

const store = countCommits(await openStore({ url }), (wrote) => standStill(`commit: ${wrote}`));
const live = liveParts(store);
const machine = createChatMachine({
  store,
  leaseMs: LEASE_MS,
  onRunnable: (chatId, owner) => worker.wake(chatId, owner),
  reserve: (chatId, owner) => worker.reserve(chatId, owner),
});
const model = compatibleModel(openAICompatible({ baseURL: modelUrl, model: 'scripted' }));
const tools = effectTools(folder, (name) => standStill(`effect: ${name}`));
const queue = await openJobQueue({ store, queues: [TURN_QUEUE] });
const worker = await startTurnScheduler(
  {
    machine,
    live,
    models: { find: () => Promise.resolve({ id: 'scripted', ...model }) },
    tools: { list: () => Promise.resolve({ tools, problems: [] }) },
    heartbeatMs: LEASE_MS / 3,
  },
  { queue, sweepMs: 250 },
);
const server = await listenHttp({
  store,
  machine,
  live,
  port: 0,
  runner: worker,
  models: testModels('scripted'),
});
writeSync(1, `ready: ${server.url}\n`);
// It will be killed. The next one starts faster with its compile cache.
flushCompileCache();
