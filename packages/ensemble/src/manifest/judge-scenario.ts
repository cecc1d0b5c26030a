/** Semantic validation of one scenario: cast, teams, competition, equal seats. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import type { CompleteManifest } from './agent-manifest.ts';
import { doubled } from './judge-agent.ts';
import { NAME_FORM, isName } from './read-fields.ts';
import type { CompleteScenario } from './scenario-manifest.ts';
import { suggest } from '@truecast/core/internal/options/suggest';
import type { Sourced, YamlSource } from './yaml-source.ts';

/** Allowed names of `{…}` in texts for the cast. */
const PLACEHOLDER = /\{\s*(\w+)\s*\}/gu;

/** Returns the problems of one scenario, apart from its structure. */
export function judgeScenario(sourced: Sourced<CompleteScenario>): readonly ManifestProblem[] {
  const { manifest: scenario, source, isIntact } = sourced;
  return [
    ...doubled(scenario.cast, 'cast', source),
    ...misspeltSeed(scenario, source),
    ...(isIntact('competition.kind') ? surplusKeys(scenario, source) : []),
    ...judgeSeatNames(sourced),
    ...judgeTeams(sourced),
  ];
}

function misspeltSeed({ genesisText }: CompleteScenario, source: YamlSource): ManifestProblem[] {
  return [...genesisText.matchAll(PLACEHOLDER)].flatMap(([whole, name = '']) => {
    const hint = whole === '{seed}' ? undefined : suggest(name, ['seed']);
    if (hint === undefined) return [];
    return [
      source.problem(['genesis_text'], `\`${whole}\` is not replaced.`, { hint: 'Did you mean `{seed}`?' }),
    ];
  });
}

/** Keys that a kind of competition does not have. */
function surplusKeys({ competition }: CompleteScenario, source: YamlSource): ManifestProblem[] {
  const { kind } = competition;
  const surplus = { versus: [], judged: ['teams', 'hidden'], none: ['teams', 'hidden', 'symmetricSeats'] }[
    kind
  ];
  return surplus.flatMap((name) => {
    if (!(name in competition)) return [];
    const key = name === 'symmetricSeats' ? 'symmetric_seats' : name;
    const message = `A competition of the kind \`${kind}\` has no \`${key}\`.`;
    const hint = 'Remove it, or set `kind: versus`.';
    return [source.problem(['competition', key], message, { at: 'key', hint })];
  });
}

function judgeSeatNames({ manifest, source, isIntact }: Sourced<CompleteScenario>): ManifestProblem[] {
  const { competition, cast } = manifest;
  const seats = competition.kind === 'none' ? [] : (competition.symmetricSeats ?? []);
  return seats.flatMap((name, index) => {
    const path = ['competition', 'symmetric_seats', index];
    if (seats.indexOf(name) < index) {
      return [source.problem(path, `\`${name}\` already has a seat.`, { hint: 'Remove one.' })];
    }
    if (cast.includes(name) || !isIntact('cast')) return [];
    const hint = suggest(name, cast) ?? `In the cast: ${cast.join(', ')}.`;
    return [source.problem(path, `\`${name}\` is not in the cast.`, { hint })];
  });
}

function judgeTeams({ manifest, source, isIntact }: Sourced<CompleteScenario>): ManifestProblem[] {
  const { competition, cast } = manifest;
  if (competition.kind !== 'versus' || !isIntact('competition.teams')) return [];
  const { teams = {}, hidden, symmetricSeats } = competition;
  if (competition.teams === undefined && symmetricSeats !== undefined && hidden === undefined) return [];
  const labels = Object.keys(teams);
  if (labels.length < 2) {
    if (!isIntact('competition')) return [];
    const message = `\`versus\` needs two teams or more, or \`symmetric_seats\`, got ${labels.length}.`;
    return [
      source.problem(['competition', 'teams'], message, { at: 'key', hint: 'List the members of each.' }),
    ];
  }
  const hint = suggest(hidden ?? '', labels) ?? `Teams: ${labels.join(', ')}.`;
  const lost =
    hidden === undefined || labels.includes(hidden)
      ? []
      : [source.problem(['competition', 'hidden'], `\`${hidden}\` is not a team.`, { hint })];
  const members = Object.entries(teams).flatMap(([label, names]) =>
    names.map((name, index) => ({ name, path: ['competition', 'teams', label, index] })),
  );
  return [
    ...lost,
    ...labels
      .filter((label) => !isName(label))
      .map((label) =>
        source.problem(['competition', 'teams', label], `Expected a team to have ${NAME_FORM}.`, {
          at: 'key',
        }),
      ),
    ...members.flatMap(({ name, path }, index) => {
      const isSecond = members.findIndex((member) => member.name === name) < index;
      if (isSecond) {
        return [source.problem(path, `\`${name}\` is already in a team.`, { hint: 'Remove one.' })];
      }
      if (cast.includes(name) || !isIntact('cast')) return [];
      const hint = suggest(name, cast) ?? `In the cast: ${cast.join(', ')}.`;
      return [source.problem(path, `\`${name}\` is not in the cast.`, { hint })];
    }),
  ];
}

/** The parts of a manifest that would favour a seat, with their YAML keys. */
const EQUAL_PARTS = {
  role: 'role',
  mayEmit: 'may_emit',
  subscribesTo: 'subscribes_to',
  schedule: 'schedule',
  memory: 'memory',
  outputExtraFields: 'output_extra_fields',
} as const satisfies Partial<Record<keyof CompleteManifest, string>>;

/** Returns a problem for each part in which a seat differs from the first one. */
export function judgeSeats(
  { competition }: CompleteScenario,
  source: YamlSource,
  cast: readonly Sourced<CompleteManifest>[],
): readonly ManifestProblem[] {
  const seats = competition.kind === 'none' ? [] : (competition.symmetricSeats ?? []);
  const members = seats.map((name) => cast.find(({ manifest }) => manifest.name === name));
  const [first] = members;
  return members.flatMap((member, index) => {
    if (first === undefined || member === undefined) return [];
    const parts = Object.entries(EQUAL_PARTS).filter(([part, key]) => {
      const name = part as keyof typeof EQUAL_PARTS; // A key of the table.
      const isComparable = first.isIntact(key) && member.isIntact(key);
      return isComparable && !isDeepStrictEqual(first.manifest[name], member.manifest[name]);
    });
    const path = ['competition', 'symmetric_seats', index];
    return parts.map(([, key]) => {
      const message = `\`${member.manifest.name}\` and \`${first.manifest.name}\` have symmetric seats, and differ in \`${key}\`.`;
      return source.problem(path, message, { hint: 'Make them equal, or remove one of the seats.' });
    });
  });
}
