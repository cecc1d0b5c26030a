/** Bench of agent runs: one from its creation to its receipt against a bare run(), and many in a queue against runBatch(). */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/create-client.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { printResult, writeFakeClaude } from '../../test/fake-claude.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber, formatRatio, formatSpread } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { medianRatio, summarize } from '../harness/statistics.ts';
import { takeTurns } from '../harness/take-turns.ts';
import { temporaryRepository } from '../harness/temporary-repository.ts';

const CLAUDE = `cat > /dev/null
git commit -q --allow-empty -m "work $(date +%s%N)" >&2
${printResult({ structured_output: { answer: 42 } })}`;
const PLACES = 2;
const output = Output.object({ schema: z.object({ answer: z.number() }) });

export const benchAgentRuns: Bench = async ({ isQuick, progress }) => {
  await using folder = await temporaryFolder();
  await using contestants = await openContestants(folder.path);
  const { bare, served, batch, queued } = contestants;
  progress('one run');
  const rounds = isQuick ? 5 : 40;
  const one = await takeTurns(
    { bare, served },
    { warmUpRounds: 2, minRounds: rounds, maxRounds: rounds, budgetMs: 0 },
  );
  const size = isQuick ? 12 : 200;
  progress(`${size} runs`);
  const turns = isQuick ? 1 : 2;
  const many = await takeTurns(
    { batch: () => batch(size), queued: () => queued(size) },
    { warmUpRounds: 0, minRounds: turns, maxRounds: turns, budgetMs: 0 },
  );
  return {
    name: 'runs',
    method: METHOD,
    tables: [
      { title: 'One agent run, from its creation to its receipt', ...tableOfOne(one) },
      { title: `${size} agent runs with ${PLACES} places`, ...tableOfMany(many, size) },
    ],
  };
};

interface Contestants extends AsyncDisposable {
  bare(): Promise<void>;
  served(): Promise<void>;
  batch(size: number): Promise<void>;
  queued(size: number): Promise<void>;
}

/** Installs the agent, and starts the server. Each side has a repository. */
async function openContestants(folder: string): Promise<Contestants> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  process.env['PATH'] = writeFakeClaude(bin, CLAUDE);
  const repository = await temporaryRepository(folder, 'served');
  const server = await createChatServer({
    port: 0,
    databaseUrl: join(folder, 'runs.sqlite'),
    environment: {},
    models: ['scripted:demo'],
    repositories: { web: { path: repository.path } },
    runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none', places: PLACES },
  });
  const { token } = await server.createToken({ name: 'bench', scopes: ['runs'] });
  const { runs } = createClient({ baseURL: server.url, token });
  const asked = { repository: 'web', agent: 'claude-code', prompt: 'Count.', output };
  return {
    ...(await openLocal(folder)),
    async served() {
      const result = await runs.run(asked);
      expectRight('client.runs', [result.output, result.commits.length], [{ answer: 42 }, 1]);
    },
    async queued(size) {
      const created = await Promise.all(Array.from({ length: size }, () => runs.create(asked)));
      const results = await Promise.all(created.map((each) => each.result()));
      expectRight('the queue', results.filter(({ commits }) => commits.length === 1).length, size);
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

async function openLocal(folder: string): Promise<Pick<Contestants, 'bare' | 'batch'>> {
  const { path: cwd } = await temporaryRepository(folder, 'bare');
  const sandbox = bubblewrap({ egress: 'none' });
  const local = { agent: claudeCode(), sandbox, cwd, output, logging: { type: 'file' } } as const;
  let count = 0;
  return {
    async bare() {
      count += 1;
      const id = `bare-${count}`;
      const branchStrategy = { type: 'branch', branch: `truecast/runs/${id}` } as const;
      const result = await run({ ...local, id, branchStrategy, prompt: 'Count.' });
      expectRight('run()', [result.output, result.commits.length], [{ answer: 42 }, 1]);
    },
    async batch(size) {
      count += 1;
      const inputs = Array.from({ length: size }, (_item, index) => ({ id: `${count}-${index}` }));
      const { ok } = await runBatch({ ...local, inputs, prompt: 'Count {{id}}.', concurrency: PLACES });
      expectRight('runBatch()', ok, size);
    },
  };
}

const METHOD = [
  'The agent is an instant program that prints the lines of Claude Code, in bubblewrap, in a repository of 50 small files. The server is in the same process, with SQLite. `run()` has an `id` too, so both store each step.',
  '40 rounds of one run (5 with --quick), and 200 queued runs (12 with --quick) against runBatch() with as many places.',
];

function tableOfOne({ bare, served }: Readonly<Record<'bare' | 'served', readonly number[]>>) {
  const row = (name: string, own: readonly number[]): readonly string[] => [
    name,
    formatSpread(own),
    formatNumber(summarize(own).p99),
    formatNumber(summarize(own).median - summarize(bare).median),
    formatRatio(medianRatio(own, bare)),
  ];
  const columns = ['contestant', 'ms per run', 'p99', '+ ms', '/ run()'];
  return { columns, rows: [row('run({ id })', bare), row('client.runs.run()', served)] };
}

function tableOfMany(
  { batch, queued }: Readonly<Record<'batch' | 'queued', readonly number[]>>,
  size: number,
) {
  const row = (name: string, own: readonly number[]): readonly string[] => [
    name,
    formatNumber(size / (summarize(own).median / 1_000)),
    formatRatio(medianRatio(batch, own)),
  ];
  const columns = ['contestant', 'runs per second', '/ runBatch()'];
  return { columns, rows: [row('runBatch()', batch), row('queued runs', queued)] };
}
