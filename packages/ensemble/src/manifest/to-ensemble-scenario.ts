/** Converts manifests to the engine's scenario. Pure. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import type { CastMember, EnsembleScenario } from '../scenario/ensemble-scenario.ts';
import { completeManifest, type AgentManifest, type CompleteManifest } from './agent-manifest.ts';
import type { ScenarioManifest } from './scenario-manifest.ts';

/** Run-specific options of a scenario. */
export interface ScenarioSettings {
  /** The starting text. @default the scenario's `default_seed` */
  readonly seed?: string;
  /** Model name of an agent, as recorded in `run.started`. */
  readonly modelOf: (agent: AgentManifest) => string;
}

/** Agents that recall by salience see this many events and choose from them. */
const WIDE_WINDOW = 80;

/** A judge sees all events that are visible to it. Its prompt shortens them. */
function windowOf({ role, memory }: CompleteManifest): number {
  if (role === 'judge') return Number.MAX_SAFE_INTEGER;
  return memory.useSalience ? Math.max(memory.window, WIDE_WINDOW) : memory.window;
}

/**
 * Converts manifests from `loadEnsemble()` to the engine's scenario.
 *
 * @example
 * ```ts
 * const ensemble = await loadEnsemble('ensembles');
 * const manifest = ensemble.scenarios.get('museum-boat');
 * if (manifest !== undefined) console.log(toEnsembleScenario(manifest, ensemble, { modelOf: () => 'stub' }).cast);
 * ```
 */
export function toEnsembleScenario(
  manifest: ScenarioManifest,
  folder: { readonly agents: ReadonlyMap<string, AgentManifest> },
  settings: ScenarioSettings,
): EnsembleScenario {
  assertKind(manifest, 'an object', 'manifest', 'Pass a scenario of `loadEnsemble()`.');
  assertKind(manifest.cast, 'an array', 'manifest.cast', 'List the names of the agents.');
  assertKind(folder, 'an object', 'ensemble', 'Pass the result of `loadEnsemble()`.');
  assertKind(folder.agents, 'an object', 'ensemble.agents', 'Pass the result of `loadEnsemble()`.');
  assertKind(folder.agents.get, 'a function', 'ensemble.agents.get', 'Pass the result of `loadEnsemble()`.');
  assertKind(settings, 'an object', 'settings', "Pass `{ modelOf: () => 'stub' }`.");
  const { agents } = folder;
  const { seed, modelOf } = settings;
  assertKind(modelOf, 'a function', 'settings.modelOf', "Pass `() => 'stub'`.");
  const cast = manifest.cast.flatMap((name) => {
    const agent = agents.get(name);
    return agent === undefined ? [] : [toCastMember(agent, modelOf(agent))];
  });
  const { name, goal, genesisText, competition, governor, parallel } = manifest;
  return {
    name,
    goal,
    genesisText,
    seed: seed ?? manifest.defaultSeed,
    cast,
    ...(competition !== undefined && { competition }),
    limits: governor,
    ...(parallel !== undefined && { parallel }),
  };
}

/**
 * Converts an agent manifest to a seat of a cast. `model` is a label for the ledger, such as `stub`. It selects no model.
 *
 * @example
 * ```ts
 * const ann = await parseAgentManifest('{ name: ann, persona: You are Ann., may_emit: [agent.spoke], schedule: { tick_every: 1 } }', 'ann.yaml');
 * const cast = [toCastMember(ann, 'stub')];
 * ```
 */
export function toCastMember(agent: AgentManifest, model: string): CastMember {
  assertKind(agent, 'an object', 'agent', 'Pass a manifest of `loadEnsemble()` or `parseAgentManifest()`.');
  const { schedule: given = {}, memory = {} } = agent;
  assertKind(given, 'an object', 'agent.schedule', 'Write `{ tickEvery, maxConsecutive }`.');
  assertKind(memory, 'an object', 'agent.memory', 'Write `{ window, useSalience, salienceTopK }`.');
  const complete = completeManifest(agent);
  const { name, role, mayEmit, subscribesTo, schedule, publicFields } = complete;
  return {
    name,
    role,
    mayEmit,
    subscribesTo,
    tickEvery: schedule.tickEvery ?? null,
    maxConsecutive: schedule.maxConsecutive,
    memory: { window: windowOf(complete) },
    model,
    ...(publicFields !== undefined && { publicFields }),
  };
}
