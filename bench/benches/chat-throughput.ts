/**
 * Bench of the chat server's turns per second, by number of concurrent clients and of worker
 * processes.
 */
import { askChat } from '../contestants/chat-client.ts';
import { chatServers, type ChatDatabase } from '../harness/chat-servers.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { summarize } from '../harness/statistics.ts';
import { CHAT_ANSWER } from '../inputs/chat-answer.ts';

const CLIENTS: readonly number[] = [1, 8, 32];
const WARM_UP_MS = 1_000;
/** Database, processes, and milliseconds that each sync takes longer. */
const SETUPS: readonly (readonly [ChatDatabase, number, number])[] = [
  ['SQLite', 1, 0],
  ['SQLite', 1, 1],
  ['Postgres', 1, 0],
  ['Postgres', 2, 0],
  ['Postgres', 4, 0],
];

export const benchChatThroughput: Bench = async ({ isQuick, progress }) => {
  await using folder = await temporaryFolder();
  await using servers = await chatServers(folder.path);
  const rows: string[][] = [];
  for (const [database, processes, syncMs] of SETUPS) {
    if (!servers.databases.includes(database)) continue;
    const server = await servers.start(database, { workers: processes - 1, syncMs });
    for (const clients of CLIENTS) {
      progress(`${database}, ${processes} processes, ${clients} clients`);
      await askFor(WARM_UP_MS, clients, () => askChat(server));
      await server.usage();
      const forMs = isQuick ? 1_000 : 3_000;
      const turnMs = await askFor(forMs, clients, () => askChat(server));
      const { median, p99 } = summarize(turnMs);
      const { loopBlockMs } = await server.usage();
      const figures = [(turnMs.length * 1_000) / forMs, median, p99, loopBlockMs].map(formatNumber);
      const name = syncMs === 0 ? database : `${database}, ${syncMs} ms a sync`;
      rows.push([name, String(processes), String(clients), ...figures]);
    }
    await server.stop();
  }
  const columns = [
    'database',
    'processes',
    'clients',
    'turns per second',
    'p50 ms',
    'p99 ms',
    'loop blocked ms',
  ];
  return { name: 'chat-throughput', method: METHOD, tables: [{ title: 'Turns', columns, rows }] };
};

const METHOD = [
  'Each client creates a chat with a response_format, waits for its receipt, checks the value, and starts again: for 3 s (1 with --quick) after 1 s of warm-up. Turns that end later do not count.',
  'One process is `truecast serve`, which also runs turns. Each further process is `truecast worker` on the same database; it also serves HTTP, but receives no requests. SQLite is a file. Both databases sync each commit.',
  '“1 ms a sync” adds 1 ms to each sync of the WAL, as on a cloud volume. The bench machine’s disk is faster. The last column is the longest block of the serving process’s event loop.',
  'Trap: clients, model, database and processes share the cores. On two cores, more processes cannot run more turns; those rows show the cost of sharing.',
];

/**
 * Sends requests with this many concurrent clients. Returns the milliseconds of each turn that
 * ended in time.
 */
async function askFor(forMs: number, clients: number, ask: () => Promise<unknown>): Promise<number[]> {
  const turnMs: number[] = [];
  const untilMs = performance.now() + forMs;
  const work = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const startedMs = performance.now();
      expectRight('the server', await ask(), CHAT_ANSWER);
      if (performance.now() <= untilMs) turnMs.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  return turnMs;
}
