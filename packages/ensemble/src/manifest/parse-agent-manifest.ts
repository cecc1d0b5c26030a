/** Parser for agent manifests: returns a typed manifest or all problems. Pure. */
import { ManifestError, type ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { AGENT_FIELDS } from './agent-fields.ts';
import type { AgentManifest } from './agent-manifest.ts';
import { judgeAgent, type KnownCode } from './judge-agent.ts';
import { readFields } from './read-fields.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

/** Parse result: the valid parts, and the problems. */
export interface ManifestRead<T> {
  readonly manifest?: T;
  readonly source?: YamlSource;
  readonly problems: readonly ManifestProblem[];
}

/**
 * Parses an agent manifest.
 *
 * @param file - name of the text in problems, such as a path
 * @throws ManifestError `invalid-manifest` with every problem, each by line and column
 * @example
 * ```ts
 * const ada = parseAgentManifest(text, 'agents/ada.yaml');
 * console.log(ada.mayEmit);
 * ```
 */
export function parseAgentManifest(text: string, file: string, known: KnownCode = {}): AgentManifest {
  const { manifest, problems } = readAgentManifest(text, file, known);
  if (manifest === undefined || problems.length > 0) throw new ManifestError(problems);
  return manifest;
}

/** Same, as data. */
export function readAgentManifest(text: string, file: string, known: KnownCode): ManifestRead<AgentManifest> {
  const { source, problems } = readYaml(text, file);
  if (source === undefined) return { problems };
  const fields = readFields(source, AGENT_FIELDS, 'an agent');
  if (!fields.success) return { source, problems: [...problems, ...fields.problems] };
  const manifest = fields.value;
  return { manifest, source, problems: [...problems, ...judgeAgent(manifest, source, known)] };
}
