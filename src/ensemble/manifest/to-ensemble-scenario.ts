/** Owns what the engine plays, made of a scenario's manifest and those of its cast. Pure. */
import type { CastMember, EnsembleScenario } from '../conductor/ensemble-scenario.ts';
import type { AgentManifest } from './agent-manifest.ts';
import type { EnsembleFolder } from './read-ensemble.ts';
import type { ScenarioManifest } from './scenario-manifest.ts';

/** What a run brings to a scenario. */
export interface ScenarioSettings {
  /** What the run begins from. @default the scenario's `default_seed` */
  readonly seed?: string;
  /** Name of the model behind an agent, as `run.started` tells it. */
  readonly modelOf: (agent: AgentManifest) => string;
}

/** Those who weigh what was said see this many events, and choose from them what they recall. */
const WIDE_WINDOW = 80;

/**
 * Makes the engine's scenario out of manifests that `loadEnsemble()` gave.
 *
 * @example
 * ```ts
 * const ensemble = await loadEnsemble('ensembles', { env: process.env });
 * const manifest = ensemble.scenarios.get('museum-boat');
 * if (manifest !== undefined) console.log(toEnsembleScenario(manifest, ensemble, { modelOf: () => 'stub' }).cast);
 * ```
 */
export function toEnsembleScenario(
  manifest: ScenarioManifest,
  { agents }: Pick<EnsembleFolder, 'agents'>,
  { seed, modelOf }: ScenarioSettings,
): EnsembleScenario {
  const cast = manifest.cast.flatMap((name) => {
    const agent = agents.get(name);
    return agent === undefined ? [] : [toCastMember(agent, modelOf(agent))];
  });
  const { name, goal, genesisText, competition, governor } = manifest;
  return { name, goal, genesisText, seed: seed ?? manifest.defaultSeed, cast, competition, limits: governor };
}

/**
 * Makes a seat in a cast out of an agent's manifest; `model` is the name that the ledger tells.
 *
 * @example
 * ```ts
 * const ann = parseAgentManifest('{ name: ann, persona: You are Ann., may_emit: [agent.spoke], schedule: { tick_every: 1 } }', 'ann.yaml');
 * const cast = [toCastMember(ann, 'stub')];
 * ```
 */
export function toCastMember(agent: AgentManifest, model: string): CastMember {
  const { name, role, mayEmit, subscribesTo, schedule, memory } = agent;
  const isWide = role === 'judge' || memory.useSalience;
  return {
    name,
    role,
    mayEmit,
    subscribesTo,
    tickEvery: schedule.tickEvery ?? null,
    maxConsecutive: schedule.maxConsecutive,
    memory: { window: isWide ? Math.max(memory.window, WIDE_WINDOW) : memory.window },
    model,
  };
}
