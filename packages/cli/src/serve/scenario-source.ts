/** Scenarios for the console: the folder `ensembles` of the working directory, else the shipped ones. */
import { existsSync } from 'node:fs';
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { inspectEnsemble } from '@truecast/ensemble/internal/manifest/load-ensemble';
import { shippedFolder } from '@truecast/ensemble/internal/manifest/shipped-folder';
import type { EnsembleFolder } from '@truecast/ensemble/internal/manifest/read-ensemble';
import type { CompleteScenario } from '@truecast/ensemble/internal/manifest/scenario-manifest';
import type { ManifestProblemView, ScenarioView } from '@truecast/client/internal/wire/ensemble';
import type { ScenarioSource } from '@truecast/server/internal/contract/scenario-source';

const OWN = 'ensembles';

/**
 * Returns the source. Import this file when it is needed: `@truecast/ensemble` can be missing.
 *
 * @param mask - applied to messages of problems, which can quote variables of the environment
 */
export function scenarioSource(mask: (text: string) => string): ScenarioSource {
  return {
    list: async () => {
      const isOwn = existsSync(OWN);
      const folder = isOwn ? OWN : shippedFolder();
      const { found, problems } = await inspectEnsemble(folder, { env: process.env });
      const scenarios = [...found.scenarios.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      return {
        ...(isOwn && { folder: OWN }),
        scenarios: scenarios.map((scenario) => scenarioView(scenario, found)),
        problems: problems.map((problem) => problemView(problem, mask)),
      };
    },
  };
}

function scenarioView(scenario: CompleteScenario, { agents }: EnsembleFolder): ScenarioView {
  const { name, title, goal, defaultSeed, competition, cast } = scenario;
  return {
    name,
    title,
    goal,
    default_seed: defaultSeed,
    competition: competition.kind,
    cast: cast.map((member) => {
      const role = agents.get(member)?.role;
      return { name: member, ...(role !== undefined && { role }) };
    }),
  };
}

function problemView(
  { file, line, column, message, hint }: ManifestProblem,
  mask: (text: string) => string,
): ManifestProblemView {
  return { file, line, column, message: mask(message), ...(hint !== undefined && { hint: mask(hint) }) };
}
