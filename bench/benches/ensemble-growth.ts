/** Owns the bench of the engine of ensembles: events per second, and what a turn costs when the ledger has grown. */
import {
  createEnsemble,
  type EnsembleAgent,
  memoryLedger,
  resumeEnsemble,
} from '../../src/exports/ensemble.ts';
import { formatNumber } from '../harness/format.ts';
import type { Bench } from '../harness/report.ts';
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
  const sizes = isQuick ? [100, 1_000, 10_000] : [100, 1_000, 10_000, 100_000];
  const rows: string[][] = [];
  const ledger = memoryLedger({ cast: SCENARIO.cast });
  const parts = { scenario: SCENARIO, agents: AGENTS, ledger, runId: 'run-1' };
  let played = 0;
  const ensemble = await createEnsemble({ ...parts, onEvent: () => void (played += 1) });
  for (const size of sizes) {
    progress(`${size} events`);
    while (played < size) await ensemble.run({ turns: 1 });
    const turnMs: number[] = [];
    for (let turn = 0; turn < MEASURED_TURNS; turn += 1) {
      const startedAt = performance.now();
      await ensemble.run({ turns: 1 });
      turnMs.push(performance.now() - startedAt);
    }
    const startedAt = performance.now();
    await resumeEnsemble(parts);
    const resumeMs = performance.now() - startedAt;
    const { median, p99 } = summarize(turnMs);
    rows.push([
      String(size),
      formatNumber(median * 1000),
      formatNumber(p99 * 1000),
      formatNumber((NAMES.length * 2 * 1000) / median),
      formatNumber(resumeMs),
    ]);
  }
  const columns = ['events before', 'us per turn', 'p99', 'events per second', 'ms to resume'];
  return { name: 'ensemble', method: METHOD, tables: [{ title: 'A ledger in memory', columns, rows }] };
};

const METHOD = [
  'Four scripted members, each asked every turn, each making one call and one event: eight events a turn, through the gate and into every view. The members do nothing else, so this is the engine alone.',
  'A resume reads and folds every event of the run.',
];
