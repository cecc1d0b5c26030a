/**
 * Proof of a hand-over: this process has no free slot and creates chats, and a server in another process
 * starts their turns. Its time is from the commit of a chat to the commit of its lease.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { TURN_QUEUE } from '../../packages/server/src/runner/workers/turn-scheduler.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { message, OWNER, testServer, type TestServer } from '../server/test-server.ts';
import { startProofServer } from './proof-server.ts';

const LONG = 'Long';
/** The server's id of the model that its environment names. */
const MODEL = 'local:scripted';
const WARM_UP = 10;
/** Between two turns, so that none starts while the slot of the one before is still taken. */
const PAUSE_MS = 50;

/** Options of the proof. */
export interface HandoverOptions {
  readonly turns: number;
  /** Turns before those that count, because the first ones compile both processes. @default 10 */
  readonly warmUp?: number;
  readonly databaseUrl: string;
  readonly folder: string;
}

/** The times of all turns that counted. */
export interface Handovers {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Turns that this process ran. */
  readonly notHandedOver: number;
}

/** Hands over the turns, one after the other. */
export async function proveHandover({
  turns,
  warmUp = WARM_UP,
  databaseUrl,
  folder,
}: HandoverOptions): Promise<Handovers> {
  const hanging = Promise.withResolvers<void>();
  await using service = await scriptedModelServer({ script: () => reply.text('Done.') });
  await using stack = new AsyncDisposableStack();
  const store = stack.adopt(await openStore({ url: databaseUrl }), (opened) => opened.close());
  const queue = stack.adopt(await openJobQueue({ store, queues: [TURN_QUEUE] }), (opened) => opened.close());
  const script = async () => {
    await hanging.promise;
    return reply.text('Done.');
  };
  const full = stack.use(await testServer({ store, queue, script, concurrency: 1 }));
  stack.defer(() => hanging.resolve());
  await begin(full, LONG);
  const files = { effects: join(folder, 'effects'), cache: join(folder, 'compiled') };
  const started = await startProofServer({ databaseUrl, modelUrl: service.openaiUrl, ...files });
  stack.defer(() => started.kill());
  const times: number[] = [];
  while (times.length < warmUp + turns) {
    times.push(await handOver(full));
    await sleep(PAUSE_MS);
  }
  const sorted = times.slice(warmUp).toSorted((a, b) => a - b);
  const shareOf = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Infinity;
  return {
    p50Ms: shareOf(0.5),
    p95Ms: shareOf(0.95),
    maxMs: shareOf(1),
    notHandedOver: full.scripted.requests.length - 1,
  };
}

async function begin({ machine }: TestServer, text: string): Promise<string> {
  const asked = { owner: OWNER, model: MODEL, message: message(text) };
  return (await machine.createChat(asked)).chat.id;
}

async function handOver(full: TestServer): Promise<number> {
  const [leased, ended] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  const chatId = await begin(full, 'Short');
  const committedMs = performance.now();
  // The lease is at least 20 ms away.
  const leave = full.machine.onChat(chatId, (notice) => {
    if (notice === undefined) return;
    if (notice.runner !== null) leased.resolve(performance.now());
    if (notice.status === 'waiting') ended.resolve();
  });
  const ms = (await leased.promise) - committedMs;
  await ended.promise;
  leave();
  return ms;
}
