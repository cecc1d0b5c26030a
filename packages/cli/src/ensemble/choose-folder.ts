/** Lookup of the manifest folder, and of a scenario by its name. */
import { existsSync } from 'node:fs';
import { shippedFolder } from '@truecast/ensemble/internal/manifest/shipped-folder';
import { loadEnsemble } from '@truecast/ensemble/internal/manifest/load-ensemble';
import type { EnsembleFolder } from '@truecast/ensemble/internal/manifest/read-ensemble';
import type { ScenarioManifest } from '@truecast/ensemble/internal/manifest/scenario-manifest';
import { suggest } from '@truecast/core/internal/options/suggest';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

const OWN = 'ensembles';

/** Returns `ensembles` if the current folder contains it. */
export function ownFolder(): string | undefined {
  return existsSync(OWN) ? OWN : undefined;
}

/**
 * Loads the named folder, else `ensembles` in the current folder, else the package's scenarios.
 *
 * @throws RepositoryError `unsafe-path` for a folder that a link of the checkout leads to
 */
export async function loadFolder(dir: string | undefined): Promise<EnsembleFolder> {
  const folder = dir ?? ownFolder() ?? shippedFolder();
  trustedPath(folder, { option: '`--dir`' });
  return await loadEnsemble(folder, { env: process.env });
}

/**
 * Returns a scenario of a folder.
 *
 * @throws UsageError `invalid-option` if no scenario has this name
 */
export function findScenario({ scenarios }: EnsembleFolder, name: string): ScenarioManifest {
  const found = scenarios.get(name);
  if (found !== undefined) return found;
  const known = [...scenarios.keys()];
  const hint = suggest(name, known) ?? `Available scenarios: ${known.join(', ')}.`;
  throw new UsageError(
    `Expected a scenario in the folder, got \`${name}\`. ${hint} To use another folder, pass \`--dir\`.`,
  );
}
