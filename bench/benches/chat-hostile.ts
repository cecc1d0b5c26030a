/** Bench of hostile request bodies: how long each blocks the event loop of the chat server. */
import { chatServers, type StartedChatServer } from '../harness/chat-servers.ts';
import { formatNumber } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { summarize } from '../harness/statistics.ts';
import { HOSTILE_BODIES, type HostileBody } from '../inputs/hostile-bodies.ts';

const ROUNDS = 10;
const QUICK_ROUNDS = 3;

export const benchChatHostile: Bench = async ({ isQuick, progress }) => {
  await using folder = await temporaryFolder();
  await using servers = await chatServers(folder.path);
  const server = await servers.start('SQLite');
  const rows: string[][] = [];
  for (const body of HOSTILE_BODIES) {
    progress(body.name);
    // Compiles the code of the path.
    await send(server, body);
    await server.usage(true);
    const blocks: number[] = [];
    const processorMs: number[] = [];
    let status = 0;
    for (let round = 0; round < (isQuick ? QUICK_ROUNDS : ROUNDS); round += 1) {
      status = await send(server, body);
      const { loopBlockMs, loopCpuMs } = await server.usage(true);
      blocks.push(loopBlockMs);
      processorMs.push(loopCpuMs);
    }
    const figures = [processorMs, blocks].flatMap((each) => [summarize(each).median, Math.max(...each)]);
    rows.push([body.name, String(status), ...figures.map(formatNumber)]);
  }
  await server.stop();
  const columns = ['body', 'status', 'processor ms (median)', 'longest', 'blocked ms (median)', 'longest'];
  return {
    name: 'chat-hostile',
    method: METHOD,
    tables: [{ title: 'Blocks of the event loop', columns, rows }],
  };
};

const METHOD = [
  'Each body is sent 10 times (3 with --quick) by one client, one at a time, after one that is not counted. The figure is the longest block of the serving process’s event loop until the answer.',
  'The database is a SQLite file. A body that is accepted also starts its turn, whose blocks count.',
  'Processor ms is the longest processor time of one iteration of the loop. Trap: on a busy machine, other processes block the loop too, so only the processor time is comparable.',
];

async function send({ url, token }: StartedChatServer, { path, text }: HostileBody): Promise<number> {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: text,
  });
  await response.arrayBuffer();
  return response.status;
}
