/**
 * Fixture for tests of turns: a real store, the scripted model behind a real provider, and a
 * worker.
 */
import type { JobQueue } from '../../packages/store/src/queue/job-queue.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import type { GenerateModel } from '../../packages/model/src/call/generate-options.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { RowPart } from '../../packages/server/src/contract/rows.ts';
import { parseResponseFormat } from '../../packages/server/src/format/parse-response-format.ts';
import { toFormatPart } from '../../packages/server/src/format/stored-format.ts';
import { liveParts, type LiveParts } from '../../packages/server/src/live/live-parts.ts';
import type { ChatModel } from '../../packages/server/src/models/chat-model.ts';
import { compatibleModel } from '../../packages/server/src/models/resolve-model.ts';
import type { NewMessage } from '../../packages/server/src/state/rows/append-messages.ts';
import {
  createChatMachine,
  type ChatMachine,
  type ChatMachineOptions,
} from '../../packages/server/src/state/chat-machine.ts';
import type { Turn } from '../../packages/server/src/state/chat-reads.ts';
import type { Message, RequestRecord } from '../../packages/server/src/state/rows/chat-records.ts';
import type { TurnSlot } from '../../packages/server/src/state/start-with-commit.ts';
import type { ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import type { RunnerEvent, TurnPorts } from '../../packages/server/src/runner/turn-ports.ts';
import { startTurnScheduler } from '../../packages/server/src/runner/workers/turn-scheduler.ts';
import { loneQueue } from './lone-queue.ts';

export const OWNER = 'owner';

/** A test's server options. */
export interface TestServerOptions {
  readonly store: Store;
  readonly script: ModelScript;
  readonly tools?: readonly ServerTool[];
  readonly model?: (server: ScriptedModelServer) => GenerateModel;
  /** A model with its id, its capabilities and its provider's tools. Replaces `model`. */
  readonly chatModel?: (server: ScriptedModelServer) => Promise<ChatModel>;
  readonly capabilities?: Partial<ChatModel['capabilities']>;
  /** Intercepts the worker's model lookup. @default calls `use` */
  readonly find?: (use: () => Promise<ChatModel>) => Promise<ChatModel>;
  readonly contextTokens?: number;
  readonly ports?: Partial<TurnPorts>;
  readonly machine?: Partial<ChatMachineOptions>;
  /** Replaces the worker's machine access in tests that break it. */
  readonly wrap?: (machine: ChatMachine) => ChatMachine;
  /** Replaces a turn that was built from its commit, instead of loaded. */
  readonly onBuilt?: (turn: Turn) => Turn;
  /** Interval of the worker's polls for work. @default 200 */
  readonly sweepMs?: number;
  /** Slots of the worker. @default 16 */
  readonly concurrency?: number;
  /** The way to other processes. @default none */
  readonly queue?: JobQueue;
  /** Maximum length of a model delta, in UTF-16 units. */
  readonly chunkChars?: number;
}

/** A server without HTTP. */
export interface TestServer extends AsyncDisposable {
  readonly machine: ChatMachine;
  readonly live: LiveParts;
  readonly scripted: ScriptedModelServer;
  readonly events: RunnerEvent[];
  /** Waits until the chat has one of these statuses. */
  until(chatId: string, ...statuses: string[]): Promise<void>;
  messages(chatId: string): Promise<readonly Message[]>;
  receipt(requestId: string): Promise<RequestRecord>;
  /** Creates a chat and waits until its turn ends or needs the client. */
  ask(message: NewMessage, chat?: Partial<Parameters<ChatMachine['createChat']>[0]>): Promise<string>;
}

export async function testServer(options: TestServerOptions): Promise<TestServer> {
  const { store, script, tools = [], contextTokens = 32_000 } = options;
  const scripted = await scriptedModelServer({
    script,
    ...(options.chunkChars !== undefined && { chunkChars: options.chunkChars }),
  });
  const model =
    options.model?.(scripted) ?? openAICompatible({ baseURL: scripted.openaiUrl, model: 'scripted' });
  const base = compatibleModel(model);
  const given = (await options.chatModel?.(scripted)) ?? { id: 'test:scripted', ...base, contextTokens };
  const chatModel: ChatModel = { ...given, capabilities: { ...given.capabilities, ...options.capabilities } };
  const find = options.find ?? ((use) => use());
  const events: RunnerEvent[] = [];
  const live = liveParts(store);
  const machine = createChatMachine({
    store,
    onRunnable: (chatId) => worker.wake(chatId),
    reserve: (chatId) => intercept(worker.reserve(chatId), options.onBuilt),
    ...options.machine,
  });
  const ports: TurnPorts = {
    machine: options.wrap?.(machine) ?? machine,
    live,
    models: { find: () => find(() => Promise.resolve(chatModel)) },
    tools: { list: () => Promise.resolve({ tools, problems: [] }) },
    backoffFactor: 0.001,
    heartbeatMs: 50,
    onEvent: (event) => events.push(event),
    ...options.ports,
  };
  const worker = await startTurnScheduler(ports, {
    queue: options.queue ?? loneQueue(),
    sweepMs: options.sweepMs ?? 200,
    ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
  });
  const until = async (chatId: string, ...statuses: string[]): Promise<void> => {
    for (let tries = 0; tries < 1_000; tries += 1) {
      const { status } = await machine.readChat({ owner: OWNER, chatId });
      if (statuses.includes(status)) return;
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
    }
    throw new TypeError(`The chat never came to ${statuses.join(', ')}: ${JSON.stringify(events)}`);
  };
  return {
    machine,
    live,
    scripted,
    events,
    until,
    messages: async (chatId) => (await machine.loadTurn(chatId)).messages,
    receipt: async (requestId) => machine.readRequest({ owner: OWNER, requestId }),
    ask: async (message, more) => {
      const { chat } = await machine.createChat({ owner: OWNER, model: chatModel.id, message, ...more });
      await until(chat.id, 'waiting', 'error', 'requires_action');
      return chat.id;
    },
    [Symbol.asyncDispose]: async () => {
      await worker.close();
      await scripted.close();
    },
  };
}

/** A user's message and its answer format. */
export function message(
  text: string,
  format?: { readonly requestId: string; readonly schema: object },
): NewMessage {
  const parts: RowPart[] = [{ type: 'text', text }];
  if (format === undefined) return { parts };
  const wire = { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema } };
  const parsed = parseResponseFormat(JSON.stringify(wire), { field: 'response_format', wire: 'chat' });
  if (parsed.type !== 'json_schema') throw new TypeError(JSON.stringify(parsed));
  const limits = { text_only: 5, max_repairs: 5 };
  const part = toFormatPart(parsed.format, { requestId: format.requestId, limits });
  return { parts, request: { format: part, schemaHash: 'hash' } };
}

function intercept(slot: TurnSlot | undefined, onBuilt: TestServerOptions['onBuilt']): TurnSlot | undefined {
  if (slot === undefined || onBuilt === undefined) return slot;
  return {
    ...slot,
    begin: ({ turn, ...started }) => slot.begin({ ...started, ...(turn && { turn: onBuilt(turn) }) }),
  };
}
