/**
 * Command of the proofs: `kills` (`--kills 300 --database sqlite|postgres`), `soak` (`--seconds 600
 * --database …`), `landed` (`--agents 200 --seed 1 --sandbox none,bubblewrap,podman`) `merges` (`--kills 40
 * --files 30000 --processes 10 --branches 10`), `crowd` (`--people 200 --rounds 5 --database …`), `handover` (`--turns 300
 * --database postgres`), `runs` and `jobs` (`--kills 300 --database …`), `batches`
 * (`--items 500 --kills 10 --database …`) or `activity` (`--kills 100 --database postgres --engine
 * pg-boss|dbos`).
 * Prints counted facts, and fails if one is wrong.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../postgres.ts';
import { NOTHING_WRONG, proveActivity } from './prove-activity.ts';
import { proveBatches } from './prove-batches.ts';
import { proveCrowd } from './prove-crowd.ts';
import { proveHandover } from './prove-handover.ts';
import { proveJobs } from './prove-jobs.ts';
import { proveKills } from './prove-kills.ts';
import { openProofSandbox } from './proof-sandbox.ts';
import { proveLanded } from './prove-landed.ts';
import { proveMergeCrowd } from './prove-merge-crowd.ts';
import { MERGE_STAGES, proveMergeKills, proveStageKills } from './prove-merge-kills.ts';
import { proveRuns, RUN_LIMIT } from './prove-runs.ts';
import { proveSoak } from './prove-soak.ts';

const WARM_MS = 120_000;
const GROWTH = 1.1;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string' },
    engine: { type: 'string', default: 'pg-boss' },
    items: { type: 'string', default: '500' },
    files: { type: 'string', default: '30000' },
    seconds: { type: 'string', default: '600' },
    database: { type: 'string', default: 'sqlite' },
    agents: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    people: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    processes: { type: 'string', default: '10' },
    branches: { type: 'string', default: '10' },
    turns: { type: 'string', default: '300' },
    sandbox: { type: 'string', default: 'none,bubblewrap,podman' },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function kills(databaseUrl: string, folder: string): Promise<void> {
  const facts = await proveKills({
    kills: Number(values.kills ?? 300),
    databaseUrl,
    servers: values.database === 'postgres' ? 2 : 1,
    folder,
    onKill: (done, had) => {
      if (done % 25 === 0) say(`${done} kills, ${had} conversations`);
    },
  });
  say(JSON.stringify(facts));
  assert.equal(facts.receipts, facts.requests);
  assert.deepEqual([facts.effectsTwice, facts.rowsWithoutEnd], [0, 0]);
}

async function soak(databaseUrl: string, folder: string): Promise<void> {
  const forMs = Number(values.seconds) * 1_000;
  const { turns, samples } = await proveSoak({
    forMs,
    sampleMs: 10_000,
    databaseUrl,
    folder,
    onSample: ({ atMs, turns: ended, residentBytes }) =>
      say(`${Math.round(atMs / 1_000)} s, ${ended} turns, ${Math.round(residentBytes / 1e6)} MB`),
  });
  const warm = samples.find(({ atMs }) => atMs >= Math.min(WARM_MS, forMs / 2));
  const last = samples
    .slice(-6)
    .map(({ residentBytes }) => residentBytes)
    .toSorted((a, b) => a - b);
  const end = last[Math.floor(last.length / 2)] ?? 0;
  const growth = end / (warm?.residentBytes ?? end);
  say(JSON.stringify({ turns, growth }));
  assert(growth <= GROWTH, `The memory grew to ${growth.toFixed(2)} times that of minute two.`);
}

async function landed(): Promise<void> {
  for (const name of values.sandbox.split(',')) {
    const { sandbox, stop } = await openProofSandbox(name);
    try {
      const facts = await proveLanded({
        agents: Number(values.agents),
        seed: Number(values.seed),
        sandbox,
        onAgent: ({ agents, landed: done, refused }) => {
          if (agents % 25 === 0) say(`${name}: ${agents} agents, ${done} landed, ${refused} refused`);
        },
      });
      say(JSON.stringify({ sandbox: name, ...facts }));
      assert.deepEqual([facts.landedRed, facts.lostWork, facts.withoutReason], [[], [], []]);
    } finally {
      await stop();
    }
  }
}

async function merges(_databaseUrl: string, folder: string): Promise<void> {
  const [processes, branches] = [Number(values.processes), Number(values.branches)];
  const crowded = await proveMergeCrowd({
    processes,
    branches,
    folder: await mkdtemp(join(folder, 'crowd-')),
  });
  say(JSON.stringify(crowded));
  const expected = { landed: processes * (branches - 1), refused: processes };
  assert.deepEqual(crowded, { ...expected, lost: [], red: [], status: '' });
  const facts = await proveMergeKills({
    kills: Number(values.kills ?? 40),
    files: Number(values.files),
    folder,
    onKill: (done) => {
      if (done % 5 === 0) say(`${done} kills`);
    },
  });
  say(JSON.stringify(facts));
  assert.deepEqual([facts.lost, facts.usersLost, facts.halfWrittenAfter], [0, 0, 0]);
  const place = await mkdtemp(join(folder, 'stages-'));
  const stages = await proveStageKills({ files: Number(values.files), folder: place });
  say(JSON.stringify(stages));
  assert.deepEqual([stages.lost, stages.usersLost, stages.halfWrittenAfter], [0, 0, 0]);
  assert.equal(stages.merged, 2 * MERGE_STAGES.length);
}

/** Half of the people wait at most this many times as long as one person. */
const CROWD_FACTOR = 1.3;
const MODEL_MS = 2_000;

async function crowd(databaseUrl: string, folder: string): Promise<void> {
  const people = Number(values.people);
  const rounds = await proveCrowd({
    people,
    modelMs: MODEL_MS,
    rounds: Number(values.rounds),
    databaseUrl,
    folder,
    onRound: (round) => {
      const rounded = Object.entries(round).map(([name, value]) => [name, Math.round(10 * value) / 10]);
      say(JSON.stringify(Object.fromEntries(rounded)));
    },
  });
  const factors = rounds.map(({ p50Ms, aloneMs }) => p50Ms / aloneMs).toSorted((a, b) => a - b);
  const factor = factors[Math.floor(factors.length / 2)] ?? Infinity;
  say(JSON.stringify({ database: values.database, people, factor: Number(factor.toFixed(2)) }));
  assert(rounds.every(({ succeeded }) => succeeded === people));
  assert(
    factor <= CROWD_FACTOR,
    `Half of the people waited ${factor.toFixed(2)} times as long as one person.`,
  );
}

/** Time from a commit to its lease in another process, for 95 % of the turns. */
const HANDOVER_MS = 100;

async function handover(databaseUrl: string, folder: string): Promise<void> {
  const facts = await proveHandover({ turns: Number(values.turns), databaseUrl, folder });
  say(JSON.stringify(facts));
  assert.equal(facts.notHandedOver, 0);
  assert(facts.p95Ms <= HANDOVER_MS, `95 % of the turns started within ${Math.round(facts.p95Ms)} ms.`);
}

async function activity(databaseUrl: string, folder: string): Promise<void> {
  const { engine } = values;
  assert(engine === 'pg-boss' || engine === 'dbos', 'Expected `--engine` to be `pg-boss` or `dbos`.');
  const facts = await proveActivity({
    kills: Number(values.kills ?? 100),
    engine,
    databaseUrl,
    folder,
    onKill: (done, starts) => {
      if (done % 10 === 0) say(`${done} kills, ${starts} starts of agents`);
    },
  });
  say(JSON.stringify(facts));
  assert.deepEqual({ ...facts, ...NOTHING_WRONG }, facts);
}

async function runs(databaseUrl: string, folder: string): Promise<void> {
  const facts = await proveRuns({
    kills: Number(values.kills ?? 300),
    databaseUrl,
    folder,
    onKill: (done) => {
      if (done % 25 === 0) say(`${done} kills`);
    },
  });
  say(JSON.stringify(facts));
  const { runs: accepted, mostAtOnce } = facts;
  assert.deepEqual([facts.succeeded, facts.receipts, facts.brokenStreams], [accepted, accepted, 0]);
  assert(mostAtOnce <= RUN_LIMIT, `${mostAtOnce} runs of a repository were executed at once.`);
}

async function jobs(databaseUrl: string, folder: string): Promise<void> {
  const facts = await proveJobs({
    kills: Number(values.kills ?? 300),
    databaseUrl,
    folder,
    onKill: (done, created) => {
      if (done % 10 === 0) say(`${done} kills, ${created} runs`);
    },
  });
  say(JSON.stringify(facts));
  assert.deepEqual([facts.wrong, facts.rows], [[], facts.runs]);
}

async function batches(databaseUrl: string, folder: string): Promise<void> {
  const [items, kills] = [Number(values.items), Number(values.kills ?? 10)];
  const facts = await proveBatches({
    items,
    kills,
    databaseUrl,
    folder,
    onKill: (done, ended) => say(`${done} kills, ${ended} items have ended`),
  });
  say(JSON.stringify(facts));
  const { results, rows, receipts, batch, duplicates, wrong, serverKills } = facts;
  assert.deepEqual([results, rows, receipts, serverKills], [items, items, items, kills]);
  assert.deepEqual([batch, duplicates, wrong], [{ items, succeeded: items, failed: 0 }, 0, []]);
}

const PROOFS: Readonly<Record<string, typeof kills>> = {
  kills,
  soak,
  landed,
  merges,
  crowd,
  handover,
  activity,
  runs,
  jobs,
  batches,
};
const proof = PROOFS[positionals[0] ?? ''];
assert(proof !== undefined, `Expected one of ${Object.keys(PROOFS).join(', ')}.`);
const folder = await mkdtemp(join(tmpdir(), 'truecast-proof-'));
const postgres = values.database === 'postgres' ? await startPostgres() : undefined;
try {
  await proof((await postgres?.createDatabase()) ?? join(folder, 'chats.sqlite'), folder);
} finally {
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}
