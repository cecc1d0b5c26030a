/** Owns where manifests are looked for, and finding a scenario by its name. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadEnsemble } from '../../ensemble/manifest/load-ensemble.ts';
import type { EnsembleFolder } from '../../ensemble/manifest/read-ensemble.ts';
import type { ScenarioManifest } from '../../ensemble/manifest/scenario-manifest.ts';
import { suggest } from '../../ensemble/manifest/suggest.ts';
import { UsageError } from '../../errors/usage-error.ts';

/** The scenarios that are published with the package; beside `dist`, or beside `src`. */
const SHIPPED = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../ensembles' : '../ensembles', import.meta.url),
);
const OWN = 'ensembles';

/** Loads the folder that is named, else `ensembles` of the current folder, else the scenarios of the package. */
export async function loadFolder(dir: string | undefined): Promise<EnsembleFolder> {
  return await loadEnsemble(dir ?? (existsSync(OWN) ? OWN : SHIPPED), { env: process.env });
}

/**
 * Returns a scenario of a folder.
 *
 * @throws UsageError `invalid-option` when there is none of that name
 */
export function findScenario({ scenarios }: EnsembleFolder, name: string): ScenarioManifest {
  const found = scenarios.get(name);
  if (found !== undefined) return found;
  const known = [...scenarios.keys()];
  const hint = suggest(name, known) ?? `There are: ${known.join(', ')}.`;
  throw new UsageError(
    `Expected a scenario of the folder, got \`${name}\`. ${hint} \`--dir\` names another folder.`,
  );
}
