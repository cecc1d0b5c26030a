/** Owns what `manifestAgent()` takes. */
import type { AgentManifest } from '../manifest/agent-manifest.ts';
import type { AgentScenario } from './agent-scenario.ts';
import type { EnsembleAgent } from './ensemble-agent.ts';
import type { ImportanceTable } from './prompt/importance.ts';
import type { Provider } from './provider.ts';

/** What an agent is made of. */
export interface ManifestAgentOptions {
  readonly manifest: AgentManifest;
  readonly provider: Provider;
  /** @default no goal, no cast, no competition */
  readonly scenario?: AgentScenario;
  /** Code by the name that a manifest's `handler` gives. @default {} */
  readonly handlers?: Readonly<Record<string, AgentHandler>>;
  /** Bound on a prompt, in estimated tokens: three bytes of UTF-8 each. @default 6000 */
  readonly maxPromptTokens?: number;
  /** How much kinds matter to recall by salience, from 0 to 1; goes before the table of the core kinds. @default {} */
  readonly importance?: ImportanceTable;
}

/** Code that acts in place of an agent, or around it. */
export type AgentHandler = (base: EnsembleAgent, options: ManifestAgentOptions) => EnsembleAgent;
