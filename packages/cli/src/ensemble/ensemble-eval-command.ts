/**
 * `truecast ensemble eval`: plays scenarios with several models and seeds, and compares their rates
 * of valid answers, costs and wins.
 */
import { manifestAgent } from '@truecast/ensemble/internal/agent/manifest-agent';
import {
  createEnsemble,
  resumeEnsemble,
  type EnsembleOptions,
} from '@truecast/ensemble/internal/conductor/ensemble';
import type { Ledger } from '@truecast/ensemble/internal/ledger/ledger';
import type { EnsembleFolder } from '@truecast/ensemble/internal/manifest/read-ensemble';
import { toEnsembleScenario } from '@truecast/ensemble/internal/manifest/to-ensemble-scenario';
import { foldEvaluation, type Evaluation } from '@truecast/ensemble/internal/projections/evaluation';
import { EXIT, printResult, printText, tell, type Terminal, columnsFor } from '../terminal/print.ts';
import { writeChosenFile } from 'truecast/internal/support/open-chosen-file';
import { renderTable, showRate } from '../terminal/render-table.ts';
import { findScenario, loadFolder, withLedger, type LedgerFlags } from './with-ledger.ts';
import { evalPage } from './pages/eval-page.ts';
import type {
  Environment,
  ModelEndpoint,
  ModelsManifest,
} from '@truecast/ensemble/internal/manifest/models-manifest';
import { endpointOf, providerOfEndpoint } from '@truecast/ensemble/internal/manifest/model-router';
import type { Provider } from '@truecast/ensemble/internal/providers/provider';
import { stubProvider } from '@truecast/ensemble/internal/providers/stub-provider';
import { findModel, knownModels } from '../flags/model-endpoints.ts';

export interface EnsembleEvalFlags extends LedgerFlags {
  readonly dir?: string;
  readonly model?: readonly string[];
  readonly runs: number;
  readonly name: string;
  readonly minFirstTry?: number;
  readonly html?: string;
  readonly json?: boolean;
}

/** One row of the result: a model in a scenario. */
export interface EvalRow extends Evaluation {
  readonly scenario: string;
  readonly model: string;
}

/** Plays the missing runs, and prints the comparison. Exits with 1 below the threshold. */
export async function ensembleEvalCommand(
  names: readonly string[],
  flags: EnsembleEvalFlags,
  terminal: Terminal,
): Promise<void> {
  const folder = await loadFolder(flags.dir);
  const scenarios = names.length > 0 ? names : [...folder.scenarios.keys()];
  const contestants = chooseContestants(flags.model ?? [], { models: folder.models, env: process.env });
  const rows: EvalRow[] = [];
  for (const scenario of scenarios) {
    for (const contestant of contestants) {
      rows.push(await playCell({ folder, scenario, contestant }, flags, terminal));
    }
  }
  const result = { name: flags.name, runsPerCell: flags.runs, rows };
  if (flags.html !== undefined) await writeChosenFile(flags.html, evalPage(result));
  if (flags.json === true) await printResult(result, terminal);
  else printText(`${toTable(rows, columnsFor(terminal.stdout))}\n`, terminal);
  const { minFirstTry } = flags;
  const missed = rows.filter(({ firstTry }) => minFirstTry !== undefined && firstTry.rate < minFirstTry);
  for (const { scenario, model, firstTry } of missed) {
    tell(`Missed: ${model} in ${scenario}: ${showRate(firstTry)} valid on the first try.`, terminal, 'bad');
  }
  if (missed.length > 0) process.exitCode = EXIT.failed;
}

interface Cell {
  readonly folder: EnsembleFolder;
  readonly scenario: string;
  readonly contestant: EvalContestant;
}

/** Reads a finished run, resumes an open one, and plays a missing one. */
async function playCell(
  { folder, scenario: name, contestant }: Cell,
  flags: EnsembleEvalFlags,
  terminal: Terminal,
): Promise<EvalRow> {
  const manifest = findScenario(folder, name);
  const evaluation = foldEvaluation();
  for (let seed = 1; seed <= flags.runs; seed += 1) {
    const runId = [flags.name, name, contestant.name, seed].join('/');
    const provider = contestant.providerFor(seed);
    const scenario = toEnsembleScenario(manifest, folder, { modelOf: () => contestant.name });
    const agents = scenario.cast.flatMap((seat) => {
      const agent = folder.agents.get(seat.name);
      return agent === undefined ? [] : [manifestAgent({ manifest: agent, scenario, provider })];
    });
    await withLedger(flags, scenario.cast, async (ledger) => {
      const isNew = await playOnce({ scenario, agents, ledger, runId });
      if (isNew) tell(`Played ${runId}`, terminal);
      for await (const event of ledger.read(runId)) evaluation.apply(event);
    });
  }
  return { scenario: name, model: contestant.name, ...evaluation.read() };
}

async function playOnce(
  options: EnsembleOptions & { readonly runId: string; readonly ledger: Ledger },
): Promise<boolean> {
  const known = (await options.ledger.runs()).find(({ runId }) => runId === options.runId);
  if (known?.end !== undefined) return false;
  const ensemble = known === undefined ? await createEnsemble(options) : await resumeEnsemble(options);
  const { state } = await ensemble.run();
  // No member has a turn left, so only a stop can end the run.
  if (state === 'waiting') {
    ensemble.stop({ lastWord: true });
    await ensemble.run();
  }
  return true;
}

function toTable(rows: readonly EvalRow[], columns: number): string {
  const header = [
    'scenario',
    'model',
    'runs',
    'first try',
    'valid',
    'calls/answer',
    'call',
    'tokens',
    'USD',
    'wins',
  ];
  const lines = rows.map((row) => [
    row.scenario,
    row.model,
    String(row.runs),
    showRate(row.firstTry),
    showRate(row.valid),
    row.callsPerAnswer.toFixed(2),
    `${Math.round(row.callMs.median)} ms`,
    row.tokens === undefined ? '-' : String(row.tokens),
    row.costUsd === undefined ? '-' : row.costUsd.toFixed(4),
    Object.entries(row.wins)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || '-',
  ]);
  return renderTable([header, ...lines], {
    rightAligned: [2, 3, 4, 5, 6, 7, 8],
    columns,
    droppable: [8, 7, 6, 5, 9],
  });
}

/** A model that plays all members of a cast. */
interface EvalContestant {
  readonly name: string;
  /** Its provider, whose sampling starts with the seed. */
  providerFor(seed: number): Provider;
}

const STUB = 'stub';

/**
 * Returns the named contestants. Without names: the model of the environment, else every entry of
 * `models.yaml`, else the stub.
 */
function chooseContestants(
  names: readonly string[],
  { models, env }: { readonly models: ModelsManifest | undefined; readonly env: Environment },
): readonly EvalContestant[] {
  const known = knownModels(models);
  if (names.length > 0) return names.map((name) => named(name, known));
  const given = endpointOf(env);
  if (given !== undefined) return [contestantOf(given.model, given)];
  if (known.size === 0 || models?.offline === true) return [named(STUB, known)];
  return [...known].map(([name, endpoint]) => contestantOf(name, endpoint));
}

function named(name: string, known: ReadonlyMap<string, ModelEndpoint>): EvalContestant {
  if (name === STUB && !known.has(STUB)) {
    return { name, providerFor: (seed) => stubProvider({ seed: String(seed) }) };
  }
  const found = findModel(name, known, [STUB]);
  return contestantOf(found.name, found.endpoint);
}

function contestantOf(name: string, endpoint: ModelEndpoint): EvalContestant {
  return {
    name,
    providerFor: (seed) =>
      providerOfEndpoint({
        ...endpoint,
        settings: { ...endpoint.settings, seed: endpoint.settings.seed ?? seed },
      }),
  };
}
