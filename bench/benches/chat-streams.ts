/**
 * Bench of a thousand open streams on one chat server: completeness, latency, and memory per
 * stream.
 */
import { beginTurn, awaitReceipt, listMessageIds, sendMessage } from '../contestants/chat-client.ts';
import { countStream, type CountedStream } from '../contestants/chat-stream-client.ts';
import { chatServers, type ChatServers, type StartedChatServer } from '../harness/chat-servers.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';

const CHATS = 50;
const OPENED_AT_ONCE = 20;

export const benchChatStreams: Bench = async ({ isQuick, progress }) => {
  await using folder = await temporaryFolder();
  await using servers = await chatServers(folder.path);
  const rows: string[][] = [];
  for (const database of servers.databases) {
    for (const streams of isQuick ? [250] : [250, 1_000]) {
      progress(`${streams} streams on ${database}`);
      rows.push([database, String(streams), ...(await measure(servers, database, streams / CHATS))]);
    }
  }
  const columns = ['database', 'streams', 'KB each', 's to open', 'events', 's to last', 'events per second'];
  return { name: 'chat-streams', method: METHOD, tables: [{ title: 'Open streams', columns, rows }] };
};

const METHOD = [
  `The streams are divided among ${CHATS} chats that have had a turn. When all are open, one message is sent to each chat at once. The clock stops when the last stream has received the receipt of its chat’s turn. Each stream must receive every message of its chat exactly once.`,
  'KB each is the growth of the server’s resident memory while the streams are opened, with a garbage collection before and after. The chats exist before.',
  'Trap: the client that reads all streams is one process on the same cores.',
];

async function measure(
  servers: ChatServers,
  database: ChatServers['databases'][number],
  perChat: number,
): Promise<string[]> {
  const server = await servers.start(database);
  const chatIds = await Promise.all(Array.from({ length: CHATS }, () => newChat(server)));
  const before = await server.usage();
  const openedAt = performance.now();
  const streams = await openAll(server, chatIds, perChat);
  const openSeconds = (performance.now() - openedAt) / 1_000;
  const after = await server.usage();
  const heardBefore = countEvents(streams);
  const startedAt = performance.now();
  await Promise.all(
    chatIds.map(async (chatId) => {
      const requestId = await sendMessage(server, chatId);
      await Promise.all((streams.get(chatId) ?? []).map((stream) => stream.ended(requestId)));
    }),
  );
  const lastSeconds = (performance.now() - startedAt) / 1_000;
  for (const chatId of chatIds) {
    const ids = await listMessageIds(server, chatId);
    for (const stream of streams.get(chatId) ?? []) expectRight('a stream', stream.messageIds, ids);
  }
  const all = Array.from(streams.values()).flat();
  const events = countEvents(streams) - heardBefore;
  for (const stream of all) stream.close();
  await server.stop();
  const kilobytes = (after.rssBytes - before.rssBytes) / all.length / 1_024;
  return [kilobytes, openSeconds, events, lastSeconds, events / lastSeconds].map((figure) =>
    formatNumber(figure),
  );
}

function countEvents(streams: ReadonlyMap<string, readonly CountedStream[]>): number {
  return Array.from(streams.values())
    .flat()
    .reduce((sum, stream) => sum + stream.events, 0);
}

async function newChat(server: StartedChatServer): Promise<string> {
  const { chatId, requestId } = await beginTurn(server);
  await awaitReceipt(server, chatId, requestId);
  return chatId;
}

async function openAll(
  server: StartedChatServer,
  chatIds: readonly string[],
  perChat: number,
): Promise<ReadonlyMap<string, readonly CountedStream[]>> {
  const streams = new Map(chatIds.map((chatId) => [chatId, [] as CountedStream[]]));
  const left = chatIds.flatMap((chatId) => Array.from({ length: perChat }, () => chatId));
  const open = async (): Promise<void> => {
    for (let chatId = left.pop(); chatId !== undefined; chatId = left.pop()) {
      streams.get(chatId)?.push(await countStream(server, chatId));
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, open));
  return streams;
}
