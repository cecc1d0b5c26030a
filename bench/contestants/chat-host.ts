/**
 * Process of the chat server, configured like `truecast serve` and `truecast worker`. Replies with
 * its address and its resource usage.
 */
import { openWorker } from '../../packages/server/src/serve/open-worker.ts';
import { issueToken } from '../../packages/server/src/http/access-token.ts';
import { listenHttp } from '../../packages/server/src/http/app/listen-http.ts';

/** Request to a process: start, or report its usage. */
export type ChatHostRequest = StartRequest | { readonly type: 'usage' };

/** Start options of a process. */
interface StartRequest {
  readonly type: 'start';
  readonly databaseUrl: string;
  readonly modelUrl: string;
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
}

const UNLIMITED = { requestsPerMinute: 1e9, concurrentRequests: 1e6, openStreams: 1e6 };

async function start({ databaseUrl, modelUrl }: StartRequest): Promise<ChatHostReply> {
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

function usage(): ChatHostUsage {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  return { rssBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1_000 };
}

async function reply(request: ChatHostRequest): Promise<ChatHostReply | ChatHostUsage> {
  return request.type === 'start' ? start(request) : usage();
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit());
  process.on('message', (request: ChatHostRequest) => {
    void reply(request).then((result) => process.send?.(result));
  });
}
