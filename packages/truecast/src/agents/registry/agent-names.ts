/** Names of the agent CLIs, without loading their providers. */
import type { AcpPresetName } from '../acp/presets.ts';

/** Agents whose CLI installs from npm. */
export const NPM_AGENT_NAMES = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'copilot', 'pi'] as const;

/** Agents without a test with the real CLI. */
export const EXPERIMENTAL_AGENT_NAMES = ['cursor'] as const;

/** All agents, in the order of the registry. The compiler compares them with its entries. */
export const AGENT_NAMES: readonly AgentName[] = [...NPM_AGENT_NAMES, ...EXPERIMENTAL_AGENT_NAMES];

/** Agents that are run by `acp()`, with a preset of that name. */
export const ACP_PRESET_NAMES: readonly AcpPresetName[] = [
  'qwen-code',
  'kimi',
  'claude-acp',
  'codex-acp',
  'copilot-acp',
  'opencode-acp',
  'gemini-acp',
];

export type NpmAgentName = (typeof NPM_AGENT_NAMES)[number];
export type AgentName = NpmAgentName | (typeof EXPERIMENTAL_AGENT_NAMES)[number];

/** Names of the agents that `truecast init` can set up. */
export type InitAgentName = NpmAgentName | AcpPresetName;
