/**
 * Commands beside a used server on SQLite: exit code and whole output. `npm run proof:commands` runs
 * each of them 20 times.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matrixRuns } from '../matrix.ts';
import { type Ended, runCommand, startCommand } from './run-command.ts';
import { STORE_COMMANDS, type StoreCommand } from './store-commands.ts';
import { startUsedServer, type UsedServer } from './used-server.ts';

const ROUNDS = Number(process.env['TRUECAST_ROUNDS'] ?? 1);
const TIMEOUT_MS = 120_000 + ROUNDS * 60_000;
/** Growth of the WAL that starts a checkpoint: each new process starts one with its first commit. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
/** Commands that run until a signal. */
const SERVING = ['serve', 'worker'];
/** Commands that need an agent in a sandbox. `runs.test.ts` tries them. */
const WITH_AGENT = [
  'runs create',
  'runs batch',
  'runs cancel-batch',
  'runs logs',
  'runs patch',
  'runs artifact',
  'runs delete',
  'runs show',
  'runs watch',
  'runs cancel',
  'runs retry',
  'runs continue',
  'runs update',
  'runs deliveries',
  'runs redeliver',
  'runs webhook-secret',
];

interface Counts {
  calls: number;
  wrongExitCodes: number;
  incompleteOutputs: number;
}

let used: UsedServer;
const counts: Counts = { calls: 0, wrongExitCodes: 0, incompleteOutputs: 0 };

beforeAll(async () => {
  used = await startUsedServer();
}, TIMEOUT_MS);
afterAll(async () => {
  await used[Symbol.asyncDispose]();
  process.stdout.write(`beside a used server: ${JSON.stringify(counts)}\n`);
});

async function call({ name, args, opensDatabase, onlyReads }: StoreCommand, round: string): Promise<Ended> {
  const own = await args(used, round);
  const database = opensDatabase === false ? [] : ['--database-url', used.databaseUrl];
  // A process for each that commits: only then does the first commit of what opens the database start a checkpoint.
  const play = opensDatabase === false || onlyReads === true ? runCommand : startCommand;
  return play([...name.split(' '), ...own, ...database], {
    cwd: used.folder,
    env: { HOME: used.folder },
  });
}

function count(exitCode: unknown, isWhole: boolean): void {
  counts.calls += 1;
  counts.wrongExitCodes += exitCode === 0 ? 0 : 1;
  counts.incompleteOutputs += isWhole ? 0 : 1;
}

describe('beside a server after many turns', { timeout: TIMEOUT_MS }, () => {
  it.each(STORE_COMMANDS)('`$name` ends with 0 and its whole output', async (command) => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      expect(await used.walBytes()).toBeGreaterThan(CHECKPOINT_BYTES);
      const ended = await call(command, `${command.name.replace(' ', '-')}-${round}`);
      const isWhole = command.isWhole(ended.stdout, used);
      count(ended.exitCode, isWhole);
      expect({ ...ended, isWhole }).toMatchObject({ exitCode: 0, isWhole: true });
      expect(ended.stderr).not.toContain('Warning');
    }
  });

  it('each documented command that opens the database is among them', async () => {
    const files = ['cli.md', 'cli-server.md', 'cli-ensemble.md'];
    const pages = await Promise.all(files.map((file) => readFile(`docs/${file}`, 'utf8')));
    const sections = pages
      .join('\n')
      .split(/^#{2,3} /mu)
      .filter((section) => /`--(?:database-url|token) </u.test(section));
    const names = sections.map((section) => section.split('\n')[0] ?? '');
    expect(names.filter((name) => ![...SERVING, ...WITH_AGENT].includes(name)).toSorted()).toEqual(
      STORE_COMMANDS.map(({ name }) => name).toSorted(),
    );
  });

  it('`serve` ends with 0 at SIGTERM, while clients ask', async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const server = used.server();
      // Requests fail when the server stops.
      const asking = used.ask(server, 1_000).catch(() => undefined);
      await used.ask(server, matrixRuns(10, 50));
      const exitCode = await server.end('SIGTERM');
      await asking;
      count(exitCode, true);
      expect(exitCode).toBe(0);
      expect(server.said()).not.toContain('Warning');
      if (round < ROUNDS) await used.restart();
    }
  });
});
