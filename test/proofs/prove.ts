/**
 * Command of the proofs: `kills` (`--kills 300 --database sqlite|postgres`), `soak` (`--seconds 600
 * --database …`), `landed` (`--agents 200 --seed 1 --sandbox none,bubblewrap,podman`) or `merges` (`--kills 40
 * --files 30000`). Prints counted facts, and fails if one is wrong.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../postgres.ts';
import { proveKills } from './prove-kills.ts';
import { openProofSandbox } from './proof-sandbox.ts';
import { proveLanded } from './prove-landed.ts';
import { proveMergeKills } from './prove-merge-kills.ts';
import { proveSoak } from './prove-soak.ts';

const WARM_MS = 120_000;
const GROWTH = 1.1;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string' },
    files: { type: 'string', default: '30000' },
    seconds: { type: 'string', default: '600' },
    database: { type: 'string', default: 'sqlite' },
    agents: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
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
}

const PROOFS: Readonly<Record<string, typeof kills>> = { kills, soak, landed, merges };
const proof = PROOFS[positionals[0] ?? ''];
assert(proof !== undefined, 'Expected `kills`, `soak`, `landed` or `merges`.');
const folder = await mkdtemp(join(tmpdir(), 'truecast-proof-'));
const postgres = values.database === 'postgres' ? await startPostgres() : undefined;
try {
  await proof((await postgres?.createDatabase()) ?? join(folder, 'chats.sqlite'), folder);
} finally {
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}
