/** Names of the agent CLIs, without loading their providers. */

/** Agents whose CLI installs from npm. */
export const NPM_AGENT_NAMES = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'copilot', 'pi'] as const;

/** All agents, in the order of the registry. */
export const AGENT_NAMES: readonly string[] = [...NPM_AGENT_NAMES, 'cursor'];

/** Names of the agents whose CLI installs from npm. */
export type NpmAgentName = (typeof NPM_AGENT_NAMES)[number];
