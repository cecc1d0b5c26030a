/**
 * Starts the servers of the chat benches: a scripted model, databases, and chat servers, each in a
 * separate process.
 */
import { join } from 'node:path';
import { postgresIsMissing, startPostgres } from '../../test/postgres.ts';
import type { ChatHostReply, ChatHostRequest, ChatHostUsage } from '../contestants/chat-host.ts';
import type { ChatModelReply } from '../contestants/chat-model-host.ts';
import type { NetworkRelayReply, NetworkRelayRequest } from '../contestants/network-relay.ts';
import { startContestant, type ContestantProcess } from './ask-process.ts';

/** Database of a server. */
export type ChatDatabase = 'SQLite' | 'Postgres';

/** A running server and its measurements. */
export interface StartedChatServer extends ChatHostReply {
  usage(measuresLoop?: boolean): Promise<ChatHostUsage>;
  stop(): Promise<void>;
}

/** How a server is started. */
export interface ChatServerSetup {
  /** Worker processes beside it. @default 0 */
  readonly workers?: number;
  /** Milliseconds that each sync of a SQLite file takes longer. @default 0 */
  readonly syncMs?: number;
  /** Milliseconds of network to Postgres, each way. @default 0 */
  readonly networkMs?: number;
}

/** Starts servers. Disposing it stops them all. */
export interface ChatServers extends AsyncDisposable {
  /** For the clients' base URL. */
  readonly modelUrl: string;
  /** The databases that this machine has. */
  readonly databases: readonly ChatDatabase[];
  /** Starts a server with a new database. */
  start(database: ChatDatabase, setup?: ChatServerSetup): Promise<StartedChatServer>;
}

const MODEL = new URL('../contestants/chat-model-host.ts', import.meta.url);
const HOST = new URL('../contestants/chat-host.ts', import.meta.url);
const RELAY = new URL('../contestants/network-relay.ts', import.meta.url);
const START_TIMEOUT_MS = 60_000;

/** Starts the model, and prepares for servers, whose files are in `folder`. */
export async function chatServers(folder: string): Promise<ChatServers> {
  await using stack = new AsyncDisposableStack();
  const model = stack.adopt(startContestant(MODEL, [], folder), (started) => started.stop());
  const { baseUrl } = await ask<ChatModelReply>(model, {});
  const postgres =
    postgresIsMissing === undefined
      ? stack.adopt(await startPostgres({ durable: true }), (started) => started.stop())
      : undefined;
  let files = 0;
  const newDatabase = async (database: ChatDatabase, delayMs: number): Promise<string> => {
    if (database === 'Postgres' && postgres !== undefined) {
      const url = new URL(await postgres.createDatabase());
      if (delayMs === 0) return url.href;
      const relay = owned.adopt(startContestant(RELAY, [], folder), (started) => started.stop());
      const request: NetworkRelayRequest = { port: Number(url.port), delayMs };
      url.port = String((await ask<NetworkRelayReply>(relay, request)).port);
      return url.href;
    }
    files += 1;
    return join(folder, `chats-${files}.sqlite`);
  };
  const owned = stack.move();
  return {
    modelUrl: baseUrl,
    databases: postgres === undefined ? ['SQLite'] : ['SQLite', 'Postgres'],
    start: async (database, { workers = 0, syncMs = 0, networkMs = 0 } = {}) => {
      const databaseUrl = await newDatabase(database, networkMs);
      const startOne = async (): Promise<StartedChatServer> => {
        const host = owned.adopt(startContestant(HOST, [], folder), (started) => started.stop());
        const request: ChatHostRequest = { type: 'start', databaseUrl, modelUrl: baseUrl, syncMs };
        return {
          ...(await ask<ChatHostReply>(host, request)),
          usage: (measuresLoop = false) =>
            ask(host, { type: 'usage', measuresLoop } satisfies ChatHostRequest),
          stop: () => host.stop(),
        };
      };
      const server = await startOne();
      const others = await Promise.all(Array.from({ length: workers }, startOne));
      const stop = async (): Promise<void> => {
        for (const process of [server, ...others]) await process.stop();
      };
      return { ...server, stop };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function ask<TReply>(host: ContestantProcess, request: object): Promise<TReply> {
  const reply = await host.ask<TReply>(request, START_TIMEOUT_MS);
  if (reply === undefined) throw new Error('A process of the chat server gave no reply.');
  return reply;
}
