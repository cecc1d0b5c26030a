/** Parser for agent manifests: returns a typed manifest or all problems. Pure. */
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { AGENT_FIELDS, AGENT_FILLERS } from './agent-fields.ts';
import type { CompleteManifest } from './agent-manifest.ts';
import { judgeAgent, type KnownCode } from './judge-agent.ts';
import { readFields } from './read-fields.ts';
import { readYaml, type Intact, type YamlSource } from './yaml-source.ts';

/** Parse result: the valid parts, and the problems. With problems, parts can be missing. */
export interface ManifestRead<T> {
  readonly manifest?: T;
  readonly source?: YamlSource;
  /** @default the whole manifest is intact */
  readonly isIntact?: Intact;
  readonly problems: readonly ManifestProblem[];
}

/** Parses an agent manifest. */
export function readAgentManifest(
  text: string,
  file: string,
  known: KnownCode,
): ManifestRead<CompleteManifest> {
  const { source, problems } = readYaml(text, file);
  if (source === undefined) return { problems };
  const fields = readFields(source, AGENT_FIELDS, 'an agent', AGENT_FILLERS);
  const structural = [...problems, ...fields.problems];
  if (fields.value === undefined) return { source, problems: structural };
  const sourced = { manifest: fields.value, source, isIntact: fields.isIntact };
  return { ...sourced, problems: [...structural, ...judgeAgent(sourced, known)] };
}
