/** Semantic validation of one scenario: cast, teams, competition. Pure. */
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { doubled } from './judge-agent.ts';
import { NAME_FORM, isName } from './read-fields.ts';
import type { ScenarioManifest } from './scenario-manifest.ts';
import { suggest } from './suggest.ts';
import type { YamlSource } from './yaml-source.ts';

/** Allowed names of `{…}` in texts for the cast. */
const PLACEHOLDER = /\{\s*(\w+)\s*\}/gu;

/** Returns the problems of one scenario. */
export function judgeScenario(scenario: ScenarioManifest, source: YamlSource): readonly ManifestProblem[] {
  return [
    ...doubled(scenario.cast, 'cast', source),
    ...misspeltSeed(scenario, source),
    ...judgeTeams(scenario, source),
  ];
}

function misspeltSeed({ genesisText }: ScenarioManifest, source: YamlSource): ManifestProblem[] {
  return [...genesisText.matchAll(PLACEHOLDER)].flatMap(([whole, name = '']) => {
    const hint = whole === '{seed}' ? undefined : suggest(name, ['seed']);
    if (hint === undefined) return [];
    return [
      source.problem(['genesis_text'], `\`${whole}\` is not replaced.`, { hint: 'Did you mean `{seed}`?' }),
    ];
  });
}

function judgeTeams({ competition, cast }: ScenarioManifest, source: YamlSource): ManifestProblem[] {
  const { kind } = competition;
  if (kind !== 'versus') {
    if (!('teams' in competition)) return [];
    const message = `A competition of the kind \`${kind}\` has no teams.`;
    const hint = 'Remove them, or set `kind: versus`.';
    return [source.problem(['competition', 'teams'], message, { at: 'key', hint })];
  }
  const { teams } = competition;
  const labels = Object.keys(teams);
  if (labels.length < 2) {
    const message = `\`versus\` needs two teams or more, got ${labels.length}.`;
    return [
      source.problem(['competition', 'teams'], message, { at: 'key', hint: 'List the members of each.' }),
    ];
  }
  const members = Object.entries(teams).flatMap(([label, names]) =>
    names.map((name, index) => ({ name, path: ['competition', 'teams', label, index] })),
  );
  return [
    ...labels
      .filter((label) => !isName(label))
      .map((label) =>
        source.problem(['competition', 'teams', label], `Expected a team to have ${NAME_FORM}.`, {
          at: 'key',
        }),
      ),
    ...members.flatMap(({ name, path }, index) => {
      const isSecond = members.findIndex((member) => member.name === name) < index;
      if (isSecond)
        return [source.problem(path, `\`${name}\` is already in a team.`, { hint: 'Remove one.' })];
      if (cast.includes(name)) return [];
      const hint = suggest(name, cast) ?? `In the cast: ${cast.join(', ')}.`;
      return [source.problem(path, `\`${name}\` is not in the cast.`, { hint })];
    }),
  ];
}
