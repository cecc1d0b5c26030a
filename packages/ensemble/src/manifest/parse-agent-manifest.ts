/** Parser for agent manifests: returns a typed manifest or all problems. Pure. */
import { ManifestError, type ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { AGENT_FIELDS, AGENT_FILLERS } from './agent-fields.ts';
import type { AgentManifest } from './agent-manifest.ts';
import { judgeAgent, type KnownCode } from './judge-agent.ts';
import { readFields } from './read-fields.ts';
import type { Intact } from './salvage-fields.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

/** Parse result: the valid parts, and the problems. With problems, parts can be missing. */
export interface ManifestRead<T> {
  readonly manifest?: T;
  readonly source?: YamlSource;
  /** @default the whole manifest is intact */
  readonly isIntact?: Intact;
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
  const fields = readFields(source, AGENT_FIELDS, 'an agent', AGENT_FILLERS);
  const structural = [...problems, ...fields.problems];
  if (fields.value === undefined) return { source, problems: structural };
  const sourced = { manifest: fields.value, source, isIntact: fields.isIntact };
  return { ...sourced, problems: [...structural, ...judgeAgent(sourced, known)] };
}
