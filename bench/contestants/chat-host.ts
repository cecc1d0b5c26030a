/** Owns a process of the chat server: it serves, works on turns, or does both, on one database; replies with what it is asked to measure. */
import { createAdaptorServer } from '@hono/node-server';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openAICompatible } from '../../src/model/open-ai-compatible.ts';
import { issueToken } from '../../src/server/http/access-token.ts';
import { createServer } from '../../src/server/http/create-server.ts';
import { liveParts } from '../../src/server/live/live-parts.ts';
import type { ChatModel } from '../../src/server/models/chat-model.ts';
import { compatibleModel } from '../../src/server/models/resolve-model.ts';
import { openAIRoutes } from '../../src/server/openai/openai-routes.ts';
import type { TurnPorts } from '../../src/server/runner/turn-ports.ts';
import { startTurnWorker } from '../../src/server/runner/turn-worker.ts';
import { createChatMachine, type ChatMachine } from '../../src/server/state/chat-machine.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';

/** What a process is asked for: to start, or how it stands. */
export type ChatHostRequest =
  | { readonly type: 'start'; readonly databaseUrl: string; readonly modelUrl: string }
  | { readonly type: 'usage' };

/** Where a process that serves is reached. */
export interface ChatHostReply {
  readonly url: string;
  /** OpenAI's wire of the same process, for the base URL of its clients. */
  readonly openaiUrl: string;
  readonly token: string;
}

/** What a process uses. */
export interface ChatHostUsage {
  /** After a collection. */
  readonly rssBytes: number;
  /** Processor time since the process began, in milliseconds. */
  readonly cpuMs: number;
}

const MODEL = 'bench:scripted';
const UNLIMITED = { requestsPerMinute: 1e9, concurrentRequests: 1e6, openStreams: 1e6 };

async function start(databaseUrl: string, modelUrl: string): Promise<ChatHostReply> {
  const store = await openStore({ url: databaseUrl });
  const made = compatibleModel(openAICompatible({ baseURL: modelUrl, model: 'scripted' }));
  const model: ChatModel = { id: MODEL, ...made };
  const machine = createChatMachine({ store, onRunnable: (chatId) => worker.wake(chatId) });
  const worker = startTurnWorker(turnPorts(store, machine, model));
  const models = { default: MODEL, list: () => [MODEL], find: () => Promise.resolve(model) };
  const server = await createServer({ store, machine, models, port: 0, limits: UNLIMITED });
  const wire = createAdaptorServer({ fetch: openAIRoutes({ models }).fetch });
  await once(wire.listen(0, '127.0.0.1'), 'listening');
  const { port } = wire.address() as AddressInfo; // A listening TCP server has one.
  const { token } = await issueToken(store, { name: 'bench' });
  return { url: server.url, openaiUrl: `http://127.0.0.1:${port}/v1`, token };
}

function turnPorts(store: Store, machine: ChatMachine, model: ChatModel): TurnPorts {
  return {
    machine,
    live: liveParts(store),
    models: { find: () => Promise.resolve(model) },
    tools: { list: () => Promise.resolve({ tools: [], problems: [] }) },
    onEvent: ({ level, message, cause }) => console.error(level, message, cause),
  };
}

function usage(): ChatHostUsage {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  return { rssBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1_000 };
}

async function reply(request: ChatHostRequest): Promise<ChatHostReply | ChatHostUsage> {
  return request.type === 'start' ? start(request.databaseUrl, request.modelUrl) : usage();
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit());
  process.on('message', (request: ChatHostRequest) => {
    void reply(request).then((result) => process.send?.(result));
  });
}
