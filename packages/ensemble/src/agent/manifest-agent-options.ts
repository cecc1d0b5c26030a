/** Options of `manifestAgent()`. */
import type { AgentManifest } from '../manifest/agent-manifest.ts';
import type { AgentScenario } from '../scenario/agent-scenario.ts';
import type { EnsembleAgent } from '../scenario/ensemble-agent.ts';
import type { ImportanceTable } from './prompt/importance.ts';
import type { Provider } from '../providers/provider.ts';

/** Parts of a manifest agent. */
export interface ManifestAgentOptions {
  readonly manifest: AgentManifest;
  readonly provider: Provider;
  /** @default no goal, no cast, no competition */
  readonly scenario?: AgentScenario;
  /** Handlers by the name that a manifest's `handler` field gives. @default {} */
  readonly handlers?: Readonly<Record<string, AgentHandler>>;
  /** Maximum prompt size in estimated tokens, at three UTF-8 bytes each. @default 6000 */
  readonly maxPromptTokens?: number;
  /**
   * Weight of event kinds for recall by salience, from 0 to 1. Overrides the built-in table.
   * @default {}
   */
  readonly importance?: ImportanceTable;
}

/** Code that acts instead of an agent, or around it. */
export type AgentHandler = (base: EnsembleAgent, options: ManifestAgentOptions) => EnsembleAgent;
