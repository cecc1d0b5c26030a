/**
 * Process of the chat server, configured like `truecast serve` and `truecast worker`. Replies with
 * its address and its resource usage.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openWorker } from '../../packages/server/src/serve/open-worker.ts';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { listenHttp } from '../../packages/server/src/http/app/listen-http.ts';
import { LoopProcessorTime } from '../harness/loop-processor-time.ts';

/** Request to a process: start, or report its usage and measure the loop's iterations from now on. */
export type ChatHostRequest = StartRequest | { readonly type: 'usage'; readonly measuresLoop?: boolean };

/** Start options of a process. */
interface StartRequest {
  readonly type: 'start';
  readonly databaseUrl: string;
  readonly modelUrl: string;
  /** Added to each sync of a SQLite file, in milliseconds: the time of a usual disk. */
  readonly syncMs: number;
}

/** Address of a serving process. */
export interface ChatHostReply {
  readonly url: string;
  readonly token: string;
}

/** Resource usage of a process. */
export interface ChatHostUsage {
  /** After a garbage collection. */
  readonly rssBytes: number;
  /** Processor time since the process started, in milliseconds. */
  readonly cpuMs: number;
  /** Longest time that the event loop was blocked since the last reply, in milliseconds. */
  readonly loopBlockMs: number;
  /** Longest processor time of an iteration, if they were measured. */
  readonly loopCpuMs: number;
}

const UNLIMITED = { requestsPerMinute: 1e9, concurrentRequests: 1e6, openStreams: 1e6 };

/** Makes each sync take longer. SQLite's own syncs, at a checkpoint, do not pass here. */
function slowSyncs(byMs: number): void {
  const { fdatasync } = fs;
  const slow = (file: number, callback: fs.NoParamCallback): void =>
    fdatasync(file, (error) => {
      setTimeout(callback, byMs, error);
    });
  Object.assign(fs, { fdatasync: slow });
  syncBuiltinESMExports();
}

const loop = monitorEventLoopDelay({ resolution: 1 });

async function start({ databaseUrl, modelUrl, syncMs }: StartRequest): Promise<ChatHostReply> {
  if (syncMs > 0) slowSyncs(syncMs);
  loop.enable();
  const worker = await openWorker({
    databaseUrl,
    models: ['local:scripted'],
    config: {},
    environment: { TRUECAST_BASE_URL: modelUrl },
    writeLog: (line) => console.error(line),
    logLevel: 'warn',
  });
  const { store, machine, models, live } = worker;
  const server = await listenHttp({
    store,
    machine,
    models,
    live,
    runner: worker,
    openAI: { models },
    port: 0,
    limits: UNLIMITED,
  });
  const { token } = await issueToken(store, { name: 'bench' });
  return { url: server.url, token };
}

/** The garbage collection blocks the loop too. Its block is recorded before the reset. */
const RECORDED_MS = 5;

const iterations = new LoopProcessorTime();

async function usage(measuresLoop = false): Promise<ChatHostUsage> {
  const loopBlockMs = loop.max / 1e6;
  const loopCpuMs = iterations.stop();
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  await sleep(RECORDED_MS);
  loop.reset();
  if (measuresLoop) iterations.start();
  const cpuMs = (user + system) / 1_000;
  return { rssBytes: process.memoryUsage.rss(), cpuMs, loopBlockMs, loopCpuMs };
}

async function reply(request: ChatHostRequest): Promise<ChatHostReply | ChatHostUsage> {
  return request.type === 'start' ? start(request) : usage(request.measuresLoop);
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit());
  process.on('message', (request: ChatHostRequest) => {
    void reply(request).then((result) => process.send?.(result));
  });
}
