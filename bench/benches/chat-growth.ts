/**
 * Bench of a turn step's cost as its chat grows, and of the part that every caller of the model
 * pays.
 */
import { join } from 'node:path';
import { streamText } from 'ai';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { liveParts } from '../../packages/server/src/live/live-parts.ts';
import { compatibleModel } from '../../packages/server/src/models/resolve-model.ts';
import {
  startTurnScheduler,
  type TurnScheduler,
} from '../../packages/server/src/runner/workers/turn-scheduler.ts';
import { createChatMachine, type ChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { loneQueue } from '../../test/server/lone-queue.ts';
import { chatServers } from '../harness/chat-servers.ts';
import { formatNumber, formatRatio } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { summarize } from '../harness/statistics.ts';
import { takeTurns } from '../harness/take-turns.ts';

const OWNER = 'bench';
const TEXT = 'The parser crashes on an empty file.';

export const benchChatGrowth: Bench = async ({ isQuick, progress }) => {
  await using folder = await temporaryFolder();
  await using servers = await chatServers(folder.path);
  const store = await openStore({ url: join(folder.path, 'growth.sqlite') });
  const chats = await openChats(store, servers.modelUrl);
  const sizes = isQuick ? [10, 1_000] : [10, 100, 1_000, 10_000];
  const rows: string[][] = [];
  try {
    const first: number[] = [];
    for (const size of sizes) {
      progress(`${size} messages`);
      const chatId = await chats.newChat(size);
      const bare = askBare(servers.modelUrl, size);
      const samples = await takeTurns(
        {
          turn: () => chats.ask(chatId),
          bare,
          load: () => chats.machine.loadTurn(chatId),
        },
        { warmUpRounds: size === 10 ? 40 : 3, minRounds: 5, maxRounds: 30, budgetMs: 8_000 },
      );
      const medians = [samples.turn, samples.bare, samples.load].map((own) => summarize(own).median);
      const ratios = medians.map((median, index) => formatRatio(median / (first[index] ??= median)));
      const cells = medians.flatMap((median, index) => [formatNumber(median), ratios[index] ?? '']);
      rows.push([String(size), ...cells]);
    }
  } finally {
    await chats.worker.close();
    await store.close();
  }
  const columns = ['messages', 'ms a turn', '/ at 10', 'ms bare', '/ at 10', 'ms to load', '/ at 10'];
  return { name: 'chat-growth', method: METHOD, tables: [{ title: 'A chat on SQLite', columns, rows }] };
};

const METHOD = [
  'A turn is one message and one model call, without HTTP and without a queue. Its rows are loaded twice: for the call and for the end. Bare is `streamText` with as many messages to the same scripted model, because each caller sends the whole history. Load is one read of all rows of the chat.',
  'A message has 36 characters. Half of the messages are from the user, half from the model. 5 to 30 alternating rounds. Nothing is compacted: the model accepts any length.',
];

interface GrowingChats {
  readonly machine: ChatMachine;
  readonly worker: TurnScheduler;
  /** Creates a chat with this many messages, whose turn has ended. */
  newChat(size: number): Promise<string>;
  /** Sends a message and waits until its turn ends. */
  ask(chatId: string): Promise<void>;
}

async function openChats(store: Store, modelUrl: string): Promise<GrowingChats> {
  const base = compatibleModel(openAICompatible({ baseURL: modelUrl, model: 'scripted' }));
  const model = { id: 'bench:scripted', ...base, contextTokens: 100_000_000 };
  let wake: ((chatId: string) => void) | undefined;
  const machine = createChatMachine({ store, onRunnable: (chatId) => wake?.(chatId) });
  const worker = await startTurnScheduler(
    {
      machine,
      live: liveParts(store),
      models: { find: () => Promise.resolve(model) },
      tools: { list: () => Promise.resolve({ tools: [], problems: [] }) },
    },
    { queue: loneQueue() },
  );
  const parts = [{ type: 'text', text: TEXT } as const];
  return {
    machine,
    worker,
    newChat: async (size) => {
      wake = undefined;
      const { chat } = await machine.createChat({ owner: OWNER, model: model.id, message: { parts } });
      let { fence } = await machine.acquire({ chatId: chat.id, worker: 'bench' });
      const messages = Array.from({ length: size - 1 }, (_, index) => ({
        role: index % 2 === 0 ? ('assistant' as const) : ('user' as const),
        parts,
      }));
      // The maximum for one SQLite statement.
      for (let at = 0; at < messages.length; at += 500) {
        ({ fence } = await machine.commitStep(fence, { messages: messages.slice(at, at + 500) }));
      }
      await machine.finishTurn(fence, {});
      wake = (id) => worker.wake(id);
      return chat.id;
    },
    ask: async (chatId) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = async (): Promise<void> => {
        if ((await machine.readChat({ owner: OWNER, chatId })).status === 'waiting') resolve();
      };
      await machine.sendMessage({ owner: OWNER, chatId, message: { parts }, busyBehavior: 'queue' });
      const forget = machine.onChat(chatId, () => void look());
      await look();
      await promise;
      forget();
    },
  };
}

function askBare(modelUrl: string, size: number): () => Promise<unknown> {
  const model = openAICompatible({ baseURL: modelUrl, model: 'scripted' });
  const messages = Array.from({ length: size + 1 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: TEXT,
  }));
  return async () =>
    // The SDK accepts only its own model types. Ours has only the fields that it needs.
    streamText({ model: model as unknown as Parameters<typeof streamText>[0]['model'], messages }).text;
}
