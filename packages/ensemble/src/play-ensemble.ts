/** `playEnsemble()`: a scenario of a folder, from its manifests to the end of its run, in one call. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { suggest } from '@truecast/core/internal/options/suggest';
import { manifestAgent } from './agent/manifest-agent.ts';
import type { AgentHandler } from './agent/manifest-agent-options.ts';
import { createEnsemble, type EnsembleOptions, type EnsembleStatus } from './conductor/ensemble.ts';
import type { Ledger } from './ledger/ledger.ts';
import { memoryLedger } from './ledger/memory-ledger.ts';
import { openLedger } from './ledger/open-ledger.ts';
import { loadEnsemble } from './manifest/load-ensemble.ts';
import { createModelRouter, type ModelRouter } from './manifest/model-router.ts';
import type { EnsembleContext, EnsembleFolder } from './manifest/read-ensemble.ts';
import type { ScenarioManifest } from './manifest/scenario-manifest.ts';
import { toEnsembleScenario } from './manifest/to-ensemble-scenario.ts';
import type { EnsembleScenario } from './scenario/ensemble-scenario.ts';

/** Options of `playEnsemble()`. */
export interface PlayEnsembleOptions
  extends
    Pick<EnsembleContext, 'env'>,
    Pick<EnsembleOptions, 'clock' | 'limits' | 'onEvent' | 'runId' | 'signal'> {
  /** The starting text. @default the scenario's `default_seed` */
  readonly seed?: string;
  /** Handlers by the name that a manifest's `handler` field gives. @default {} */
  readonly handlers?: Readonly<Record<string, AgentHandler>>;
  /** Database of the ledger, as for `openLedger()`. @default a ledger in memory, gone after the call */
  readonly databaseUrl?: string;
}

const PLAY_OPTIONS: OptionNames<PlayEnsembleOptions> = {
  env: true,
  seed: true,
  handlers: true,
  databaseUrl: true,
  runId: true,
  limits: true,
  signal: true,
  onEvent: true,
  clock: true,
};

/**
 * Plays a scenario of a folder until its run ends or waits. Loads the manifests, selects the models by
 * `createModelRouter()`, and creates the agents.
 *
 * @throws UsageError `invalid-option` for an unknown scenario or option, or a folder that cannot be read
 * @throws ManifestError `invalid-manifest` with every problem of every file
 * @throws the signal's reason on abort
 * @example
 * ```ts
 * const { end, verdict } = await playEnsemble('ensembles', 'museum-boat');
 * console.log(end?.reason, end?.winner, verdict?.text);
 * ```
 * @public
 */
export async function playEnsemble(
  folder: string,
  scenario: string,
  options: PlayEnsembleOptions = {},
): Promise<EnsembleStatus> {
  assertKind(scenario, 'a string', 'scenario', 'Pass the name of a scenario of the folder.');
  assertKnownOptions(options, {
    of: '`playEnsemble()`',
    names: PLAY_OPTIONS,
    moved: { model: 'env: { TRUECAST_BASE_URL, TRUECAST_MODEL }' },
  });
  const { env = process.env, seed, handlers = {}, databaseUrl, ...play } = options;
  assertKind(handlers, 'an object', 'handlers', 'Pass handlers by their names, or leave it out.');
  const loaded = await loadEnsemble(folder, { env, handlers: Object.keys(handlers) });
  const router = createModelRouter({ env, ...(loaded.models !== undefined && { models: loaded.models }) });
  const played = toEnsembleScenario(scenarioOf(loaded, scenario), loaded, {
    modelOf: (agent) => router.providerOf(agent).model,
    ...(seed !== undefined && { seed }),
  });
  const agents = agentsOf(played, loaded, { router, handlers });
  const run = async (ledger: Ledger): Promise<EnsembleStatus> =>
    await (await createEnsemble({ ...play, scenario: played, agents, ledger })).run();
  const { cast } = played;
  if (databaseUrl === undefined) return await run(memoryLedger({ cast }));
  await using ledger = await openLedger({ cast, url: databaseUrl });
  return await run(ledger);
}

function scenarioOf({ scenarios }: EnsembleFolder, name: string): ScenarioManifest {
  const found = scenarios.get(name);
  if (found !== undefined) return found;
  const known = [...scenarios.keys()];
  const next = suggest(name, known) ?? `The folder has ${known.join(', ')}.`;
  throw new UsageError(`Expected a scenario of the folder, got \`${name}\`. ${next}`);
}

interface Players {
  readonly router: ModelRouter;
  readonly handlers: Readonly<Record<string, AgentHandler>>;
}

function agentsOf(
  scenario: EnsembleScenario,
  { agents }: EnsembleFolder,
  { router, handlers }: Players,
): EnsembleOptions['agents'] {
  return scenario.cast.flatMap(({ name }) => {
    const manifest = agents.get(name);
    if (manifest === undefined) return [];
    return [manifestAgent({ manifest, scenario, handlers, provider: router.providerOf(manifest) })];
  });
}
