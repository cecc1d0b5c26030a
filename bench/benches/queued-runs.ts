/** Bench of many queued runs of one repository on two worker processes, side by side with `runBatch()`. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { RUN_QUEUE } from '../../packages/server/src/runs/workers/run-scheduler.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import { printResult, writeFakeClaude } from '../../test/fake-claude.ts';
import { postgresIsMissing, startPostgres } from '../../test/postgres.ts';
import { QUEUED_PROMPT, type QueuedRunsReply, type QueuedRunsRequest } from '../contestants/queued-runs.ts';
import { startContestant, type ContestantProcess } from '../harness/ask-process.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber, formatRatio } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { medianRatio, summarize } from '../harness/statistics.ts';
import { temporaryRepository } from '../harness/temporary-repository.ts';

const HOST = new URL('../contestants/queued-runs-host.ts', import.meta.url);
/** Changes a file, so that each run has a patch. */
const CLAUDE = `cat > /dev/null
date +%s%N > src/0/file-0.ts
git commit -q -a -m work >&2
${printResult({ structured_output: { answer: 42 } })}`;
const LIMIT = 4;
const WORKERS = 2;
/** Refused claims for each started run. */
const MOST_REFUSALS = 2;
const MOST_MS = 3_600_000;
const POLL_MS = 50;
const OWNER = 'bench';

/** One execution of all runs. */
interface Played {
  readonly ms: number;
  readonly cpuMs: number | undefined;
  readonly refusals: number;
  /** Most runs at once. */
  readonly atOnce: number;
}

export const benchQueuedRuns: Bench = async ({ isQuick, size = isQuick ? 24 : 1_000, progress }) => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const bin = join(folder.path, 'bin');
  await mkdir(bin);
  process.env['PATH'] = writeFakeClaude(bin, CLAUDE);
  const postgres =
    postgresIsMissing === undefined
      ? stack.adopt(await startPostgres({ durable: true }), (started) => started.stop())
      : undefined;
  let count = 0;
  const play = async (name: string): Promise<Played> => {
    count += 1;
    progress(`${name}, ${size} runs`);
    const { path: repository } = await temporaryRepository(folder.path, `repository-${count}`);
    if (name === 'runBatch()') return playBatch(folder.path, repository, size);
    const isPostgres = name === 'Postgres';
    const file = join(folder.path, `runs-${count}.sqlite`);
    const databaseUrl = isPostgres ? ((await postgres?.createDatabase()) ?? '') : file;
    return playQueue({ home: folder.path, repository, databaseUrl }, size);
  };
  const queues = postgres === undefined ? ['SQLite'] : ['SQLite', 'Postgres'];
  const played: Record<string, Played[]> = Object.fromEntries(
    ['runBatch()', ...queues].map((name) => [name, []]),
  );
  // A batch before and after each queue: the machine is shared, and its speed drifts.
  const turns = isQuick ? 1 : 2;
  for (let turn = 0; turn < turns; turn += 1) {
    for (const name of Object.keys(played)) played[name]?.push(await play(name));
  }
  return { name: 'queued-runs', method: METHOD, tables: [tableOf(played, size)] };
};

async function ask(host: ContestantProcess, request: QueuedRunsRequest): Promise<QueuedRunsReply> {
  const reply = await host.ask<QueuedRunsReply>(request, MOST_MS);
  if (reply === undefined) throw new Error('A process of the runs gave no reply.');
  return reply;
}

async function playBatch(home: string, repository: string, size: number): Promise<Played> {
  await using stack = new AsyncDisposableStack();
  const host = stack.adopt(startContestant(HOST, [], home), (started) => started.stop());
  const opened = await ask(host, { type: 'open', repository, places: LIMIT });
  const startedMs = performance.now();
  const { cpuMs } = await ask(host, { type: 'start', runs: size });
  return {
    ms: performance.now() - startedMs,
    cpuMs: between([opened.cpuMs], [cpuMs]),
    refusals: 0,
    atOnce: LIMIT,
  };
}

interface QueuePlace {
  readonly home: string;
  readonly repository: string;
  readonly databaseUrl: string;
}

/** Queues all runs, and then starts the workers. Each one has places for all runs that the limit allows. */
async function playQueue({ home, repository, databaseUrl }: QueuePlace, size: number): Promise<Played> {
  await using stack = new AsyncDisposableStack();
  const store = stack.adopt(await openStore({ url: databaseUrl }), (opened) => opened.close());
  await queueRuns(store, size);
  const hosts = Array.from({ length: WORKERS }, () =>
    stack.adopt(startContestant(HOST, [], home), (started) => started.stop()),
  );
  const open = { type: 'open', repository, places: LIMIT, queue: { databaseUrl, limit: LIMIT } } as const;
  const opened = await Promise.all(hosts.map((host) => ask(host, open)));
  const startedMs = performance.now();
  await Promise.all(hosts.map((host) => ask(host, { type: 'start', runs: size })));
  while ((await countEnded(store)) < size) await sleep(POLL_MS);
  const ms = performance.now() - startedMs;
  const ended = await Promise.all(hosts.map((host) => ask(host, { type: 'end' })));
  const refusals = ended.reduce((sum, each) => sum + each.refusals, 0);
  const atOnce = await mostAtOnce(store);
  await expectAllSucceeded(store, size);
  expectRight('the limit of runs at once', atOnce <= LIMIT, true);
  expectRight('the limit of refused claims', refusals <= MOST_REFUSALS * size, true);
  const cpuMs = between(
    opened.map((each) => each.cpuMs),
    ended.map((each) => each.cpuMs),
  );
  return { ms, cpuMs, refusals, atOnce };
}

async function queueRuns(store: Store, size: number): Promise<void> {
  const queue = await openJobQueue({ store, queues: [RUN_QUEUE] });
  const machine = createRunMachine({
    store,
    deliver: (tx, { id }) => queue.enqueue({ queue: RUN_QUEUE, key: id, payload: id }, tx),
  });
  const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
  const request = {
    repository: 'web',
    agent: 'claude-code',
    prompt: QUEUED_PROMPT,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  } as const;
  const schemaHash = '0'.repeat(64);
  for (let index = 0; index < size; index += 1) {
    await machine.createRun({ owner: OWNER, request, schemaHash });
  }
  await queue.close();
}

async function countEnded({ db }: Store): Promise<number> {
  const query = db.selectFrom('agent_runs').select(({ fn }) => fn.countAll<number>().as('count'));
  const { count } = await query.where('ended_at', 'is not', null).executeTakeFirstOrThrow();
  return count;
}

async function expectAllSucceeded({ db }: Store, size: number): Promise<void> {
  const runs = await db.selectFrom('agent_runs').select(['status', 'generation', 'error']).execute();
  const isOnce = ({ status, generation }: (typeof runs)[number]): boolean =>
    status === 'succeeded' && generation === 1;
  for (const run of runs.filter((each) => !isOnce(each))) console.error(JSON.stringify(run));
  expectRight('the queue', runs.filter(isOnce).length, size);
}

/** Reads the starts and ends of all executions. An end comes before a start of the same millisecond. */
async function mostAtOnce({ db }: Store): Promise<number> {
  const rows = await db.selectFrom('agent_run_executions').select(['started_at', 'ended_at']).execute();
  const steps = rows.flatMap(({ started_at: start, ended_at: end }) => [
    { at: start, step: 1 },
    { at: end ?? Infinity, step: -1 },
  ]);
  let [most, now] = [0, 0];
  for (const { step } of steps.toSorted((one, other) => one.at - other.at || one.step - other.step)) {
    now += step;
    most = Math.max(most, now);
  }
  return most;
}

function between(
  before: readonly (number | undefined)[],
  after: readonly (number | undefined)[],
): number | undefined {
  const sums = [before, after].map((times) => times.reduce<number>((sum, each) => sum + (each ?? NaN), 0));
  const [first = NaN, last = NaN] = sums;
  return Number.isNaN(last - first) ? undefined : last - first;
}

const METHOD = [
  `The agent is an instant program that commits a change and prints the lines of Claude Code, in bubblewrap, in a repository of 50 small files. All runs are queued before ${WORKERS} worker processes start, each with ${LIMIT} places, under a limit of ${LIMIT} runs of the repository. runBatch() has ${LIMIT} places in one process.`,
  'The most runs at once are read from the starts and ends of all executions. Processor time is that of the workers with the programs that they start, without the database.',
  'Two turns of 1,000 runs; 24 runs with --quick; another number with --size. It ends with an error beyond the limit, or with more than two refused claims for each run.',
];

function tableOf(played: Readonly<Record<string, readonly Played[]>>, size: number) {
  const times = (name: string): readonly number[] => (played[name] ?? []).map(({ ms }) => ms);
  const row = (name: string): readonly string[] => {
    const own = played[name] ?? [];
    const cpu = own.flatMap(({ cpuMs }) => cpuMs ?? []);
    return [
      name,
      formatNumber(size / (summarize(times(name)).median / 1_000)),
      formatRatio(medianRatio(times('runBatch()'), times(name))),
      cpu.length === 0 ? 'unknown' : formatNumber(summarize(cpu).median / size),
      String(Math.max(...own.map(({ atOnce }) => atOnce))),
      formatNumber(Math.max(...own.map(({ refusals }) => refusals)) / size),
    ];
  };
  return {
    title: `${size} queued runs of one repository, ${LIMIT} at once`,
    columns: [
      'contestant',
      'runs per second',
      '/ runBatch()',
      'processor ms',
      'most at once',
      'refused claims',
    ],
    rows: Object.keys(played).map(row),
  };
}
