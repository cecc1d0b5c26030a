/** Parser for scenario manifests: returns a typed manifest or all problems. Pure. */
import { judgeScenario } from './judge-scenario.ts';
import type { ManifestRead } from './parse-agent-manifest.ts';
import { readFields } from './read-fields.ts';
import { SCENARIO_FIELDS } from './scenario-fields.ts';
import type { ScenarioManifest } from './scenario-manifest.ts';
import { readYaml } from './yaml-source.ts';

/** Parses a scenario manifest. Its cast is validated later, when all agents are known. */
export function readScenarioManifest(text: string, file: string): ManifestRead<ScenarioManifest> {
  const { source, problems } = readYaml(text, file);
  if (source === undefined) return { problems };
  const fields = readFields(source, SCENARIO_FIELDS, 'a scenario');
  if (!fields.success) return { source, problems: [...problems, ...fields.problems] };
  const manifest = fields.value;
  return { manifest, source, problems: [...problems, ...judgeScenario(manifest, source)] };
}
