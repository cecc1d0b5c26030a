/**
 * Registry of agent CLIs: the only table for the command line, `init`, `doctor`, replays, the
 * server, docs and tests.
 */
import type { StreamAgentProvider } from '../../ports/agent-provider.ts';
import { claudeCode } from '../claude-code/claude-code.ts';
import { codex } from '../codex/codex.ts';
import { copilot } from '../copilot/copilot.ts';
import { cursor } from '../cursor/cursor.ts';
import { geminiCli } from '../gemini-cli/gemini-cli.ts';
import { opencode } from '../opencode/opencode.ts';
import { pi } from '../pi/pi.ts';
import { acp } from '../acp/acp.ts';
import type { AcpPresetName } from '../acp/presets.ts';
import { ACP_PRESET_NAMES, type AgentName, type InitAgentName, type NpmAgentName } from './agent-names.ts';

/** An agent CLI. Its modes, sessions and hosts are declared by the provider that `make` returns. */
export interface AgentEntry {
  /** Name of the factory, as `truecast/agents` exports it. */
  readonly factory: string;
  readonly make: (model?: string) => StreamAgentProvider;
  /** Preset that the factory `acp` is called with. */
  readonly preset?: AcpPresetName;
  /** Help line. */
  readonly hint: string;
  /** Environment variables with its credentials. One of them is enough. */
  readonly keys: readonly string[];
  /** npm package with its CLI, and the version that the tests run. Absent if npm has none. */
  readonly npm?: { readonly name: string; readonly version: string };
}

/** An agent whose CLI installs from npm. */
export interface NpmAgentEntry extends AgentEntry {
  readonly npm: NonNullable<AgentEntry['npm']>;
}

/** Keys of the model APIs that several agents and the server read. */
export const MODEL_KEYS: readonly string[] = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];

/** The agents whose CLI installs from npm: `truecast init` writes an image file for them. */
export const NPM_AGENTS: Readonly<Record<NpmAgentName, NpmAgentEntry>> = {
  'claude-code': {
    factory: 'claudeCode',
    make: claudeCode,
    hint: 'Claude Code, by Anthropic',
    keys: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
    npm: { name: '@anthropic-ai/claude-code', version: '2.1.329' },
  },
  codex: {
    factory: 'codex',
    make: codex,
    hint: 'Codex, by OpenAI',
    keys: ['OPENAI_API_KEY'],
    npm: { name: '@openai/codex', version: '0.169.0' },
  },
  'gemini-cli': {
    factory: 'geminiCli',
    make: geminiCli,
    hint: 'Gemini CLI, by Google',
    keys: ['GEMINI_API_KEY'],
    npm: { name: '@google/gemini-cli', version: '0.61.0' },
  },
  opencode: {
    factory: 'opencode',
    make: opencode,
    hint: 'OpenCode, with models of many providers',
    keys: MODEL_KEYS,
    npm: { name: 'opencode-ai', version: '1.18.33' },
  },
  copilot: {
    factory: 'copilot',
    make: copilot,
    hint: 'Copilot CLI, by GitHub',
    keys: ['COPILOT_GITHUB_TOKEN'],
    npm: { name: '@github/copilot', version: '1.0.102' },
  },
  pi: {
    factory: 'pi',
    make: pi,
    hint: 'Pi, with models of many providers',
    keys: MODEL_KEYS,
    npm: { name: '@earendil-works/pi-coding-agent', version: '1.5.2' },
  },
};

/** All agents by their name in `--agent`. */
export const AGENTS: Readonly<Record<AgentName, AgentEntry>> = {
  ...NPM_AGENTS,
  cursor: {
    factory: 'cursor',
    make: cursor,
    hint: 'Cursor CLI, by Cursor (experimental)',
    keys: ['CURSOR_API_KEY'],
  },
};

type AcpFacts = Pick<NpmAgentEntry, 'hint' | 'keys' | 'npm'>;

const ACP_FACTS: Readonly<Record<AcpPresetName, AcpFacts>> = {
  'qwen-code': {
    hint: 'Qwen Code, by Alibaba',
    keys: ['OPENAI_API_KEY'],
    npm: { name: '@qwen-code/qwen-code', version: '0.24.4' },
  },
  kimi: {
    hint: 'Kimi Code, by Moonshot AI, with its own login',
    keys: ['KIMI_API_KEY'],
    npm: { name: '@moonshot-ai/kimi-code', version: '2.1.0' },
  },
  'claude-acp': {
    hint: 'Claude, by the adapter for the Agent Client Protocol',
    keys: NPM_AGENTS['claude-code'].keys,
    npm: { name: '@agentclientprotocol/claude-agent-acp', version: '0.101.0' },
  },
  'codex-acp': {
    hint: 'Codex, by the adapter for the Agent Client Protocol',
    keys: NPM_AGENTS.codex.keys,
    npm: { name: '@agentclientprotocol/codex-acp', version: '2.6.0' },
  },
  'copilot-acp': { ...NPM_AGENTS.copilot, hint: 'Copilot CLI, by the Agent Client Protocol' },
  'opencode-acp': { ...NPM_AGENTS.opencode, hint: 'OpenCode, by the Agent Client Protocol' },
  'gemini-acp': { ...NPM_AGENTS['gemini-cli'], hint: 'Gemini CLI, by the Agent Client Protocol' },
};

function acpEntry(preset: AcpPresetName): NpmAgentEntry {
  const { hint, keys, npm } = ACP_FACTS[preset];
  return {
    factory: 'acp',
    preset,
    make: (model) => acp({ preset, ...(model !== undefined && { model }) }),
    hint,
    keys,
    npm,
  };
}

/** Agents that `acp()` runs by a preset, by their name in `--agent`. */
export const ACP_AGENTS: Readonly<Record<AcpPresetName, NpmAgentEntry>> = {
  'qwen-code': acpEntry('qwen-code'),
  kimi: acpEntry('kimi'),
  'claude-acp': acpEntry('claude-acp'),
  'codex-acp': acpEntry('codex-acp'),
  'copilot-acp': acpEntry('copilot-acp'),
  'opencode-acp': acpEntry('opencode-acp'),
  'gemini-acp': acpEntry('gemini-acp'),
};

/** Agents that `truecast init` can set up. */
export const INIT_AGENTS: Readonly<Record<InitAgentName, NpmAgentEntry>> = { ...NPM_AGENTS, ...ACP_AGENTS };

/**
 * Agents whose program no other entry starts: what `doctor`, `init` and the default of `--agent`
 * look for.
 */
export const FOUND_AGENTS: readonly AgentEntry[] = [
  ...Object.values(AGENTS),
  ...ACP_PRESET_NAMES.filter((name) => !isOwnCli(name)).map((name) => ACP_AGENTS[name]),
];

function isOwnCli(name: AcpPresetName): boolean {
  return Object.values(NPM_AGENTS).some(({ npm }) => npm.name === ACP_FACTS[name].npm.name);
}

/** Returns the agent of that name, or undefined. The name can be any string. */
export function findAgent(name: string): AgentEntry | undefined {
  const all: Readonly<Record<string, AgentEntry>> = { ...AGENTS, ...ACP_AGENTS };
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
