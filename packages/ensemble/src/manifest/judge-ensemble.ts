/**
 * Validation across manifests: unknown cast names, members that nothing wakes, missing judges.
 * Pure.
 */
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import type { CompleteManifest } from './agent-manifest.ts';
import { judgeSeats } from './judge-scenario.ts';
import { judgeSubscriptions } from './judge-subscriptions.ts';
import type { ModelsManifest } from './models-manifest.ts';
import type { CompleteScenario } from './scenario-manifest.ts';
import { suggest } from '@truecast/core/internal/options/suggest';
import type { Sourced, YamlSource } from './yaml-source.ts';

/** The readable contents of a folder. */
export interface EnsembleParts {
  readonly agents: readonly Sourced<CompleteManifest>[];
  readonly scenarios: readonly Sourced<CompleteScenario>[];
  readonly models: Sourced<ModelsManifest> | undefined;
  /** Names of agents with unreadable files, if known. Reported once, in their own file. */
  readonly unreadNames: readonly (string | undefined)[];
}

/** Kinds that wake members before any agent has spoken. */
const KINDS_OF_THE_ENGINE = ['run.started', 'world.observed', 'user.injected'];

/** Returns the problems between manifests. */
export function judgeEnsemble(parts: EnsembleParts): readonly ManifestProblem[] {
  return [
    ...doubledNames(parts.agents.filter(isNamed), 'agent'),
    ...doubledNames(parts.scenarios.filter(isNamed), 'scenario'),
    ...parts.agents.flatMap((agent) => judgeModel(agent, parts.models)),
    // An unreadable manifest could emit any kind.
    ...(parts.unreadNames.length > 0 ? [] : judgeSubscriptions(parts.agents)),
    ...parts.scenarios.flatMap((scenario) => judgeCast(scenario, parts)),
    ...parts.scenarios.flatMap((scenario) => judgePrices(scenario, parts.models)),
  ];
}

function isNamed({ isIntact }: Sourced<unknown>): boolean {
  return isIntact('name');
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
  { manifest, source, isIntact }: Sourced<CompleteManifest>,
  models: Sourced<ModelsManifest> | undefined,
): ManifestProblem[] {
  if (models === undefined || !needsModels(models) || !isIntact('model_endpoint', 'model_profile')) return [];
  const { modelEndpoint, modelProfile } = manifest;
  if (modelEndpoint !== undefined) {
    const known = Object.keys(models.manifest.endpoints);
    if (known.includes(modelEndpoint) || !models.isIntact(`endpoints.${modelEndpoint}`)) return [];
    const message = `\`${modelEndpoint}\` is not an endpoint of \`models.yaml\`.`;
    const hint =
      suggest(modelEndpoint, known) ?? (known.length === 0 ? 'It has none.' : `Known: ${known.join(', ')}.`);
    return [source.problem(['model_endpoint'], message, { hint })];
  }
  if (models.manifest.profiles[modelProfile] !== undefined || !models.isIntact(`profiles.${modelProfile}`)) {
    return [];
  }
  const message = `\`models.yaml\` has no profile \`${modelProfile}\`.`;
  return [source.problem(['model_profile'], message, { hint: 'Define it there, or choose another.' })];
}

function needsModels({ manifest, isIntact }: Sourced<ModelsManifest>): boolean {
  return !manifest.offline && isIntact('offline');
}

/** Without prices, no call reaches a limit in money. It would only look like protection. */
function judgePrices(
  { manifest, source }: Sourced<CompleteScenario>,
  models: Sourced<ModelsManifest> | undefined,
): ManifestProblem[] {
  if (models === undefined || !needsModels(models) || manifest.governor.usdPerHour === undefined) return [];
  const { profiles, endpoints } = models.manifest;
  const all = [...Object.entries(profiles), ...Object.entries(endpoints)];
  const unpriced = all.filter(([, { prices }]) => prices === undefined).map(([name]) => `\`${name}\``);
  if (unpriced.length === 0) return [];
  const message = `\`hourly_budget_usd\` needs the prices of each model, and \`models.yaml\` has none for ${unpriced.join(', ')}.`;
  const hint =
    'Set `prices` there, `{ input_usd_per_million: 0, output_usd_per_million: 0 }` for a local one.';
  return [source.problem(['governor', 'hourly_budget_usd'], message, { hint })];
}

function judgeCast(scenario: Sourced<CompleteScenario>, parts: EnsembleParts): ManifestProblem[] {
  const { manifest, source, isIntact } = scenario;
  const agents = parts.agents.filter(isNamed);
  const names = agents.map(({ manifest: { name } }) => name);
  const members = agents.filter(({ manifest: { name } }) => manifest.cast.includes(name));
  const cast = members.map((member) => member.manifest);
  // An unknown member could wake others and be a judge.
  const isWhole = (...parts: readonly string[]): boolean =>
    isIntact('cast') &&
    manifest.cast.every((name) => names.includes(name)) &&
    members.every((member) => member.isIntact(...parts));
  return [
    ...unknownMembers(scenario, parts),
    ...judgeLabels(manifest, source, names),
    ...judgeSides(manifest, source, cast),
    ...(isWhole('role', 'may_emit', 'subscribes_to', 'schedule') ? judgeWaking(manifest, source, cast) : []),
    ...(isWhole('role', 'may_emit', 'output_extra_fields') && isIntact('competition.kind')
      ? judgeRuling(manifest, source, cast)
      : []),
    ...judgeSeats(manifest, source, members),
  ];
}

function unknownMembers(
  { manifest, source, isIntact }: Sourced<CompleteScenario>,
  { agents, unreadNames }: EnsembleParts,
): ManifestProblem[] {
  const unread = unreadNames.filter((name) => name !== undefined);
  // An agent whose name cannot be read could be any member.
  if (!isIntact('cast') || unread.length < unreadNames.length || !agents.every(isNamed)) return [];
  const known = [...agents.map(({ manifest: { name } }) => name), ...unread];
  return manifest.cast.flatMap((name, index) => {
    if (known.includes(name)) return [];
    const hint = suggest(name, known) ?? `Known: ${known.join(', ') || 'none'}.`;
    return [source.problem(['cast', index], `No agent is called \`${name}\`.`, { hint })];
  });
}

function judgeLabels(
  { competition }: CompleteScenario,
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
  scenario: CompleteScenario,
  source: YamlSource,
  cast: readonly CompleteManifest[],
): ManifestProblem[] {
  const kinds = new Set(KINDS_OF_THE_ENGINE);
  const awake = new Set<CompleteManifest>();
  const wakes = (agent: CompleteManifest): boolean =>
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

function kindsOf({ subscribesTo }: CompleteManifest): readonly string[] {
  return subscribesTo.map(kindOf);
}

function kindOf(subscription: CompleteManifest['subscribesTo'][number]): string {
  return typeof subscription === 'string' ? subscription : subscription.kind;
}

/** The judge of a competition is not a side in it. */
function judgeSides(
  { competition }: CompleteScenario,
  source: YamlSource,
  cast: readonly CompleteManifest[],
): ManifestProblem[] {
  const teams = competition.kind === 'versus' ? Object.entries(competition.teams ?? {}) : [];
  return teams.flatMap(([label, members]) =>
    members.flatMap((name, index) => {
      if (!cast.some((agent) => agent.name === name && agent.role === 'judge')) return [];
      const path = ['competition', 'teams', label, index];
      return [source.problem(path, `\`${name}\` is the judge of this competition and cannot be in a team.`)];
    }),
  );
}

/** A competition needs a member that can name its winner. */
function judgeRuling(
  { competition }: CompleteScenario,
  source: YamlSource,
  cast: readonly CompleteManifest[],
): ManifestProblem[] {
  if (competition.kind === 'none') return [];
  const judges = cast.filter(({ role }) => role === 'judge');
  if (judges.length === 0) {
    const message = `A competition of the kind \`${competition.kind}\` needs a judge in its cast.`;
    return [source.problem(['cast'], message, { at: 'key', hint: 'Add an agent with `role: judge`.' })];
  }
  const canRule = judges.some(
    ({ mayEmit, outputExtraFields }) =>
      mayEmit.includes('judge.verdict') && outputExtraFields.includes('winner'),
  );
  if (canRule) return [];
  const message = `No judge of this cast can name a winner (${judges.map(({ name }) => name).join(', ')}).`;
  const hint = 'Give it `judge.verdict` in `may_emit` and `winner` in `output_extra_fields`.';
  return [source.problem(['cast'], message, { at: 'key', hint })];
}
