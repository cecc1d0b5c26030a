/** Presets of `acp()`: agents that were tried with it, and how each is started. Pure data. */
import type { McpServerCommand } from '../../ports/agent-provider.ts';
import { AGENT_HOSTS, providerHosts } from '../agent-hosts.ts';
import { ONE_PROCESS } from '../unset-variables.ts';

export type AcpPresetName =
  | 'qwen-code'
  | 'kimi'
  | 'claude-acp'
  | 'codex-acp'
  | 'copilot-acp'
  | 'opencode-acp'
  | 'gemini-acp';

/** How one agent is started. */
export interface AcpPreset {
  readonly command: readonly [program: string, ...args: string[]];
  /** Login method that is used only if the agent requires a login. It reads a key from a variable. */
  readonly login?: string;
  /** Environment of its process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Environment for use inside a sandbox only. */
  readonly sandboxEnv?: Readonly<Record<string, string>>;
  /** Environment of a process that gets an MCP server of the run. */
  readonly serverEnv?: Readonly<Record<string, string>>;
  /** Metadata of the requests that open a session of such a process. */
  serverMeta?(server: McpServerCommand): Readonly<Record<string, unknown>>;
  readonly installHint: string;
  /** Hosts of its model and login. Undefined means unknown. */
  hosts?(model: string | undefined): readonly string[] | undefined;
}

export const ACP_PRESETS: Readonly<Record<AcpPresetName, AcpPreset>> = {
  'qwen-code': {
    command: ['qwen', '--acp'],
    // A fork of Gemini CLI, which starts itself again for the same reason.
    env: { QWEN_CODE_NO_RELAUNCH: 'true' },
    login: 'openai',
    installHint: 'npm install -g @qwen-code/qwen-code',
  },
  kimi: {
    command: ['kimi', 'acp'],
    installHint: 'npm install -g @moonshot-ai/kimi-code',
  },
  'claude-acp': {
    command: ['claude-agent-acp'],
    // As root, it refuses to skip permissions unless a variable declares a sandbox.
    sandboxEnv: { IS_SANDBOX: '1' },
    // By default it hides tools behind a search, and the protocol has no setting for one server.
    serverEnv: { ENABLE_TOOL_SEARCH: 'false' },
    // In its default mode, a model judges each call without a rule.
    serverMeta: ({ name }) => ({ claudeCode: { options: { allowedTools: [`mcp__${name}`] } } }),
    installHint: 'npm install -g @agentclientprotocol/claude-agent-acp',
    hosts: () => AGENT_HOSTS['claude-code'],
  },
  'codex-acp': {
    command: ['codex-acp'],
    login: 'api-key',
    installHint: 'npm install -g @agentclientprotocol/codex-acp',
    hosts: () => AGENT_HOSTS.codex,
  },
  'copilot-acp': {
    command: ['copilot', '--acp'],
    installHint: 'npm install -g @github/copilot',
    hosts: () => AGENT_HOSTS.copilot,
  },
  'opencode-acp': {
    command: ['opencode', 'acp'],
    installHint: 'npm install -g opencode-ai',
    hosts: (model = '') => providerHosts(model),
  },
  'gemini-acp': {
    command: ['gemini', '--acp', '--skip-trust'],
    env: ONE_PROCESS,
    login: 'gemini-api-key',
    installHint: 'npm install -g @google/gemini-cli',
    hosts: () => AGENT_HOSTS['gemini-cli'],
  },
};
