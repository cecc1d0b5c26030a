/**
 * Validation across manifests: unknown cast names, members that nothing wakes, missing judges.
 * Pure.
 */
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import type { AgentManifest } from './agent-manifest.ts';
import { judgeSeats } from './judge-scenario.ts';
import { judgeSubscriptions } from './judge-subscriptions.ts';
import type { ModelsManifest } from './models-manifest.ts';
import type { ScenarioManifest } from './scenario-manifest.ts';
import { suggest } from './suggest.ts';
import type { Sourced, YamlSource } from './yaml-source.ts';

/** The readable contents of a folder. */
export interface EnsembleParts {
  readonly agents: readonly Sourced<AgentManifest>[];
  readonly scenarios: readonly Sourced<ScenarioManifest>[];
  readonly models?: ModelsManifest;
  /** Names of agents with broken manifests. Reported once, in their own file. */
  readonly brokenNames: readonly string[];
}

/** Kinds that wake members before any agent has spoken. */
const KINDS_OF_THE_ENGINE = ['run.started', 'world.observed', 'user.injected'];

/** Returns the problems between manifests. */
export function judgeEnsemble(parts: EnsembleParts): readonly ManifestProblem[] {
  return [
    ...doubledNames(parts.agents, 'agent'),
    ...doubledNames(parts.scenarios, 'scenario'),
    ...parts.agents.flatMap((agent) => judgeModel(agent, parts.models)),
    // A broken manifest could emit any kind.
    ...(parts.brokenNames.length > 0 ? [] : judgeSubscriptions(parts.agents)),
    ...parts.scenarios.flatMap((scenario) => judgeCast(scenario, parts)),
    ...parts.scenarios.flatMap((scenario) => judgePrices(scenario, parts.models)),
  ];
}

/** A verdict's winner is matched without case, hyphens and spaces, so names must differ in more. */
function plainly(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/gu, '');
}

function doubledNames(
  sources: readonly Sourced<{ readonly name: string }>[],
  noun: string,
): ManifestProblem[] {
  return sources.flatMap(({ manifest: { name }, source }, index) => {
    const first = sources.findIndex(({ manifest }) => plainly(manifest.name) === plainly(name));
    if (first === index) return [];
    const message = `\`${name}\` is already the name of the ${noun} in \`${sources[first]?.source.file}\`.`;
    return [source.problem(['name'], message, { hint: 'Rename one.' })];
  });
}

function judgeModel(
  { manifest, source }: Sourced<AgentManifest>,
  models: ModelsManifest | undefined,
): ManifestProblem[] {
  if (models === undefined || models.offline) return [];
  const { modelEndpoint, modelProfile } = manifest;
  if (modelEndpoint !== undefined) {
    const known = Object.keys(models.endpoints);
    if (known.includes(modelEndpoint)) return [];
    const message = `\`${modelEndpoint}\` is not an endpoint of \`models.yaml\`.`;
    const hint =
      suggest(modelEndpoint, known) ?? (known.length === 0 ? 'It has none.' : `Known: ${known.join(', ')}.`);
    return [source.problem(['model_endpoint'], message, { hint })];
  }
  if (models.profiles[modelProfile] !== undefined) return [];
  const message = `\`models.yaml\` has no profile \`${modelProfile}\`.`;
  return [source.problem(['model_profile'], message, { hint: 'Define it there, or choose another.' })];
}

/** A limit in money that no call can reach would look like protection. */
function judgePrices(
  { manifest, source }: Sourced<ScenarioManifest>,
  models: ModelsManifest | undefined,
): ManifestProblem[] {
  if (models === undefined || models.offline || manifest.governor.usdPerHour === undefined) return [];
  const all = [...Object.entries(models.profiles), ...Object.entries(models.endpoints)];
  const unpriced = all.filter(([, { prices }]) => prices === undefined).map(([name]) => `\`${name}\``);
  if (unpriced.length === 0) return [];
  const message = `\`hourly_budget_usd\` needs the prices of each model, and \`models.yaml\` has none for ${unpriced.join(', ')}.`;
  const hint =
    'Set `prices` there, `{ input_usd_per_million: 0, output_usd_per_million: 0 }` for a local one.';
  return [source.problem(['governor', 'hourly_budget_usd'], message, { hint })];
}

function judgeCast({ manifest, source }: Sourced<ScenarioManifest>, parts: EnsembleParts): ManifestProblem[] {
  const names = parts.agents.map(({ manifest: { name } }) => name);
  const known = [...names, ...parts.brokenNames];
  const missing = manifest.cast.flatMap((name, index) => {
    if (known.includes(name)) return [];
    const hint = suggest(name, known) ?? `Known: ${known.join(', ') || 'none'}.`;
    return [source.problem(['cast', index], `No agent is called \`${name}\`.`, { hint })];
  });
  const cast = parts.agents.map((agent) => agent.manifest).filter(({ name }) => manifest.cast.includes(name));
  const isWhole = manifest.cast.every((name) => names.includes(name));
  return [
    ...missing,
    ...judgeLabels(manifest, source, names),
    // With an unknown member, wake-ups and judges cannot be checked.
    ...(isWhole
      ? [
          ...judgeWaking(manifest, source, cast),
          ...judgeRuling(manifest, source, cast),
          ...judgeSeats(manifest, source, cast),
        ]
      : []),
  ];
}

function judgeLabels(
  { competition }: ScenarioManifest,
  source: YamlSource,
  names: readonly string[],
): ManifestProblem[] {
  if (competition.kind !== 'versus') return [];
  return Object.keys(competition.teams ?? {}).flatMap((label) => {
    const same = names.find((name) => plainly(name) === plainly(label));
    if (same === undefined) return [];
    const message = `The team \`${label}\` has the same name as the agent \`${same}\`: a winner could be either.`;
    return [
      source.problem(['competition', 'teams', label], message, { at: 'key', hint: 'Rename the team.' }),
    ];
  });
}

/** Follows wake-ups from the engine's own events until no further member wakes. */
function judgeWaking(
  scenario: ScenarioManifest,
  source: YamlSource,
  cast: readonly AgentManifest[],
): ManifestProblem[] {
  const kinds = new Set(KINDS_OF_THE_ENGINE);
  const awake = new Set<AgentManifest>();
  const wakes = (agent: AgentManifest): boolean =>
    agent.schedule.tickEvery !== undefined || kindsOf(agent).some((kind) => kinds.has(kind));
  for (let before = -1; before < awake.size;) {
    before = awake.size;
    for (const agent of cast.filter(wakes)) {
      awake.add(agent);
      for (const kind of agent.mayEmit) kinds.add(kind);
    }
  }
  return cast
    .filter((agent) => !awake.has(agent) && agent.role !== 'judge')
    .map(({ name, subscribesTo }) => {
      const waited = [...new Set(subscribesTo.map(kindOf))].join(', ');
      const message = `\`${name}\` would never wake: no other agent in this cast emits ${waited || 'anything'} before.`;
      const hint = 'Give it `schedule.tick_every`, or a kind that is emitted.';
      return source.problem(['cast', scenario.cast.indexOf(name)], message, { hint });
    });
}

function kindsOf({ subscribesTo }: AgentManifest): readonly string[] {
  return subscribesTo.map(kindOf);
}

function kindOf(subscription: AgentManifest['subscribesTo'][number]): string {
  return typeof subscription === 'string' ? subscription : subscription.kind;
}

/** A competition needs a member that can name its winner and is not a side in it. */
function judgeRuling(
  { competition }: ScenarioManifest,
  source: YamlSource,
  cast: readonly AgentManifest[],
): ManifestProblem[] {
  if (competition.kind === 'none') return [];
  const judges = cast.filter(({ role }) => role === 'judge');
  if (judges.length === 0) {
    const message = `A competition of the kind \`${competition.kind}\` needs a judge in its cast.`;
    return [source.problem(['cast'], message, { at: 'key', hint: 'Add an agent with `role: judge`.' })];
  }
  const partial = competition.kind === 'versus' ? Object.entries(competition.teams ?? {}) : [];
  const seated = partial.flatMap(([label, members]) =>
    members.flatMap((name, index) => {
      if (!judges.some((judge) => judge.name === name)) return [];
      const path = ['competition', 'teams', label, index];
      return [source.problem(path, `\`${name}\` is the judge of this competition and cannot be in a team.`)];
    }),
  );
  const canRule = judges.some(
    ({ mayEmit, outputExtraFields }) =>
      mayEmit.includes('judge.verdict') && outputExtraFields.includes('winner'),
  );
  if (canRule) return seated;
  const message = `No judge of this cast can name a winner (${judges.map(({ name }) => name).join(', ')}).`;
  const hint = 'Give it `judge.verdict` in `may_emit` and `winner` in `output_extra_fields`.';
  return [...seated, source.problem(['cast'], message, { at: 'key', hint })];
}
