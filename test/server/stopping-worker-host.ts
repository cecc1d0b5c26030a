/**
 * Process that runs a store's turns and stops at one point. Its arguments are the store's address,
 * the model's address, a folder for the effects of tools, and the number of the point, 0 for none.
 * Each commit and each effect is a point, and is printed when reached.
 */
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { liveParts } from '../../packages/server/src/live/live-parts.ts';
import { compatibleModel } from '../../packages/server/src/models/resolve-model.ts';
import { startTurnScheduler } from '../../packages/server/src/runner/workers/turn-scheduler.ts';
import { createChatMachine, type ChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { effectTools } from './effect-tools.ts';
import { loneQueue } from './lone-queue.ts';

const [url = '', modelUrl = '', folder = '', stopAt = '0'] = process.argv.slice(2);

/** Commits at moments that do not depend on the clock. */
const COMMITS: ReadonlySet<string> = new Set([
  'acquire',
  'commitStep',
  'claimTool',
  'commitToolResults',
  'commitCompaction',
  'finishTurn',
  'failTurn',
]);

let points = 0;

function reach(name: string): void {
  points += 1;
  writeSync(1, `${points} ${name}\n`);
  if (points === Number(stopAt)) process.kill(process.pid, 'SIGSTOP');
}

/** Reaches a point after each commit, before its caller is notified. */
function withPoints(machine: ChatMachine): ChatMachine {
  return new Proxy(machine, {
    get: (target, name, receiver) => {
      const found: unknown = Reflect.get(target, name, receiver);
      if (typeof found !== 'function' || !COMMITS.has(String(name))) return found;
      return async (...given: unknown[]): Promise<unknown> => {
        const result: unknown = await Reflect.apply(found, target, given);
        reach(String(name));
        return result;
      };
    },
  });
}

const store = await openStore({ url });
const machine = createChatMachine({
  store,
  onRunnable: (chatId, owner) => worker.wake(chatId, owner),
  reserve: (chatId, owner) => worker.reserve(chatId, owner),
});
const model = openAICompatible({ baseURL: modelUrl, model: 'scripted' });
const tools = effectTools(folder, (name) => reach(`effect of ${name}`));
const worker = await startTurnScheduler(
  {
    machine: withPoints(machine),
    live: liveParts(store),
    models: { find: () => Promise.resolve({ id: 'scripted', ...compatibleModel(model) }) },
    tools: { list: () => Promise.resolve({ tools, problems: [] }) },
    // No timeout while it lives: a process that stalls inside a transaction would keep its locks.
    heartbeatMs: 600_000,
  },
  { queue: loneQueue(), sweepMs: 50 },
);
// It is killed, and a later one reads this.
flushCompileCache();
