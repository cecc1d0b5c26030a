/**
 * Bench of the ensemble engine: events per second, and the cost of a turn when the ledger has
 * grown.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createEnsemble,
  type EnsembleAgent,
  type Ledger,
  memoryLedger,
  openLedger,
  resumeEnsemble,
} from '../../packages/ensemble/src/index.ts';
import { formatNumber } from '../harness/format.ts';
import type { Bench, Table } from '../harness/report.ts';
import { summarize } from '../harness/statistics.ts';

const NAMES = ['ada', 'bo', 'cy', 'di'];
const USAGE = { inputTokens: 10, outputTokens: 5, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
const PROVENANCE = { path: 'prompted', rung: 'prompted', attempts: 0, tier: 'strict' } as const;
const MEASURED_TURNS = 60;

const SCENARIO = {
  name: 'growth',
  goal: 'Go on.',
  seed: 'x',
  genesisText: 'It begins.',
  cast: NAMES.map((name) => ({
    name,
    role: 'worker' as const,
    mayEmit: ['agent.spoke'],
    subscribesTo: [],
    tickEvery: 0,
    maxConsecutive: 3,
    memory: { window: 80 },
    model: 'scripted',
  })),
  limits: { turns: Infinity, calls: Infinity },
};

/** Makes one call and speaks: two events in each turn of a member. */
const AGENTS: readonly EnsembleAgent[] = NAMES.map((name) => ({
  name,
  act: async (turn) => {
    await turn.charge({ model: 'scripted', usage: USAGE, durationMs: 1, code: 'ok' });
    const payload = { text: `${name} has seen ${turn.visible.length} in turn ${turn.turn}.` };
    return { type: 'event', kind: 'agent.spoke', payload, provenance: PROVENANCE, model: 'scripted' };
  },
}));

export const benchEnsembleGrowth: Bench = async ({ isQuick, progress }) => {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-bench-'));
  const kept = await openLedger({ url: join(folder, 'ledger.sqlite'), cast: SCENARIO.cast });
  try {
    const sizes = [100, 1_000, 10_000];
    const memory = memoryLedger({ cast: SCENARIO.cast });
    const tables = [
      await measure('A ledger in memory', memory, isQuick ? sizes : [...sizes, 100_000], progress),
      // Each append waits for the disk, which takes most of the time.
      await measure('A ledger in a file of SQLite', kept, isQuick ? sizes.slice(0, 2) : sizes, progress),
    ];
    return { name: 'ensemble', method: METHOD, tables };
  } finally {
    await kept.close();
    await rm(folder, { recursive: true });
  }
};

async function measure(
  title: string,
  ledger: Ledger,
  sizes: readonly number[],
  progress: (message: string) => void,
): Promise<Table> {
  const rows: string[][] = [];
  const parts = { scenario: SCENARIO, agents: AGENTS, ledger, runId: 'run-1' };
  let played = 0;
  const ensemble = await createEnsemble({ ...parts, onEvent: () => void (played += 1) });
  for (const size of sizes) {
    progress(`${title}, ${size} events`);
    while (played < size) await ensemble.run({ turns: 1 });
    const turnMs: number[] = [];
    for (let turn = 0; turn < MEASURED_TURNS; turn += 1) {
      turnMs.push(await timed(async () => void (await ensemble.run({ turns: 1 }))));
    }
    const resumeMs = await timed(async () => void (await resumeEnsemble(parts)));
    const { median, p99 } = summarize(turnMs);
    const perSecond = (NAMES.length * 2 * 1000) / median;
    const figures = [median * 1000, p99 * 1000, perSecond, resumeMs];
    rows.push([String(size), ...figures.map((figure) => formatNumber(figure))]);
  }
  const columns = ['events before', 'us per turn', 'p99', 'events per second', 'ms to resume'];
  return { title, columns, rows };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const METHOD = [
  'Four scripted members are called in every turn. Each makes one call and one event: eight events a turn, each validated and added to every view. The members do nothing else, so this measures the engine alone.',
  'A resume reads and folds every event of the run.',
];
