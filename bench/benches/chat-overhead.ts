/**
 * Bench of the chat server's overhead beyond the model's answer: a whole turn, and one completion
 * over OpenAI's wire.
 */
import { askByOpenAI, askBySdk } from '../contestants/bare-model.ts';
import { askChat } from '../contestants/chat-client.ts';
import { chatServers } from '../harness/chat-servers.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber, formatRatio } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { medianRatio, summarize } from '../harness/statistics.ts';
import { takeTurns, type Contestant } from '../harness/take-turns.ts';
import { CHAT_ANSWER } from '../inputs/chat-answer.ts';

export const benchChatOverhead: Bench = async ({ isQuick, progress }) => {
  await using folder = await temporaryFolder();
  await using servers = await chatServers(folder.path);
  const turns: Record<string, Contestant> = { [SDK]: askBySdk(servers.modelUrl) };
  const completions: Record<string, Contestant> = {
    [OPENAI]: askByOpenAI(servers.modelUrl, 'none', 'scripted'),
  };
  for (const database of servers.databases) {
    progress(`starting on ${database}`);
    const server = await servers.start(database);
    turns[`a turn, ${database}`] = () => askChat(server);
    if (database === 'Postgres') {
      const far = await servers.start(database, { networkMs: NETWORK_MS });
      turns[`a turn, ${database}, ${NETWORK_MS} ms of network`] = () => askChat(far);
    }
    completions['POST /v1/chat/completions'] ??= askByOpenAI(
      `${server.url}/v1`,
      server.token,
      'local:scripted',
    );
  }
  const measure = async (bare: string, contestants: Record<string, Contestant>): Promise<string[][]> => {
    progress(`against ${bare}`);
    const rounds = { warmUpRounds: 30, minRounds: 30, maxRounds: isQuick ? 60 : 500, budgetMs: 15_000 };
    for (const [name, ask] of Object.entries(contestants)) expectRight(name, await ask(), CHAT_ANSWER);
    const samples = await takeTurns(contestants, rounds);
    return Object.entries(samples).map(([name, own]) => {
      const { median, p99 } = summarize(own);
      const { median: bareMedian, p99: bareP99 } = summarize(samples[bare] ?? []);
      const ratio = formatRatio(medianRatio(own, samples[bare] ?? []));
      const figures = [median, median - bareMedian, p99, p99 - bareP99].map(formatNumber);
      return [name, ...figures, name === bare ? '' : ratio];
    });
  };
  const columns = ['contestant', 'p50 ms', 'over bare', 'p99 ms', 'over bare', '/ bare'];
  return {
    name: 'chat-overhead',
    method: METHOD,
    tables: [
      { title: 'A turn with a response_format: create → receipt', columns, rows: await measure(SDK, turns) },
      { title: 'A completion with a response_format', columns, rows: await measure(OPENAI, completions) },
    ],
  };
};

/** To the database, each way: loopback hides the round trips. */
const NETWORK_MS = 0.5;

const SDK = 'bare, streamText of `ai`';
const OPENAI = 'bare, client of `openai`';

const METHOD = [
  'The model is a scripted server in a separate process and answers at once. The chat server is another process. Its database is on disk, and each commit is synced. Requests run one after another, for up to 500 rounds (60 with --quick).',
  'A turn is two HTTP requests, one that creates the chat and one that waits for its receipt, and one model call whose value is validated. Bare is the same model call from the bench process: `streamText` with the answer as a forced tool, and `parse` of OpenAI’s client.',
  'With network, a relay in a separate process delays each chunk to and from Postgres by 0.5 ms, like a second machine in the same data center.',
  'Traps: no real model is that fast, so the milliseconds over bare mean more than the ratio. The cost of a commit depends on the disk.',
];
