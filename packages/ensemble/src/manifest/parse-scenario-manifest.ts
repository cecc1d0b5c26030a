/** Parser for scenario manifests: returns a typed manifest or all problems. Pure. */
import { judgeScenario } from './judge-scenario.ts';
import type { ManifestRead } from './parse-agent-manifest.ts';
import { readFields } from './read-fields.ts';
import { SCENARIO_FIELDS, SCENARIO_FILLERS } from './scenario-fields.ts';
import type { ScenarioManifest } from './scenario-manifest.ts';
import { readYaml } from './yaml-source.ts';

/** Parses a scenario manifest. Its cast is validated later, when all agents are known. */
export function readScenarioManifest(text: string, file: string): ManifestRead<ScenarioManifest> {
  const { source, problems } = readYaml(text, file);
  if (source === undefined) return { problems };
  const fields = readFields(source, SCENARIO_FIELDS, 'a scenario', SCENARIO_FILLERS);
  const structural = [...problems, ...fields.problems];
  if (fields.value === undefined) return { source, problems: structural };
  const sourced = { manifest: fields.value, source, isIntact: fields.isIntact };
  return { ...sourced, problems: [...structural, ...judgeScenario(sourced)] };
}
