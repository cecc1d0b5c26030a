/** Wire format of the artifacts of agent runs. */
import {
  array,
  count,
  object,
  openOneOf,
  optional,
  string,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { AGENT_RUN_ARTIFACTS } from '../wire-codes.ts';

const artifactName = openOneOf(...AGENT_RUN_ARTIFACTS);
/** Name of an artifact of an agent run. */
export type AgentRunArtifactName = Of<typeof artifactName>;

const artifactMembers = {
  /**
   * `log`: everything that the agent printed. `changes.patch`: all commits together. `uncommitted.patch`: files that
   * were not committed. `recording.jsonl`: for `truecast replay`. `session`: the session of the agent.
   */
  name: artifactName,
  media_type: string,
  /** In bytes. */
  size: count,
  /** Bytes that are left out at the beginning. Absent for a complete one. */
  omitted_bytes: optional(count),
};
/** An artifact of an agent run. */
export interface AgentRunArtifact extends ObjectOf<typeof artifactMembers> {}
export const agentRunArtifact: Shape<AgentRunArtifact> = object(artifactMembers, 'AgentRunArtifact');

const artifactsMembers = { artifacts: array(agentRunArtifact) };
/** The artifacts of an agent run by name. */
export interface AgentRunArtifactsView extends ObjectOf<typeof artifactsMembers> {}
export const agentRunArtifactsView: Shape<AgentRunArtifactsView> = object(
  artifactsMembers,
  'AgentRunArtifacts',
);
