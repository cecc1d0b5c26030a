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
import type { NpmAgentName } from './agent-names.ts';

/** An agent CLI. Its routes, sessions and hosts are declared by the provider that `make` returns. */
export interface AgentEntry {
  /** Name of the factory, as `truecast/agents` exports it. */
  readonly factory: string;
  readonly make: (model?: string) => StreamAgentProvider;
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
export const AGENTS: Readonly<Record<string, AgentEntry>> = {
  ...NPM_AGENTS,
  cursor: {
    factory: 'cursor',
    make: cursor,
    hint: 'Cursor CLI, by Cursor',
    keys: ['CURSOR_API_KEY'],
  },
};

/** Returns the agent of that name, or undefined. The name can be any string. */
export function findAgent(name: string): AgentEntry | undefined {
  return Object.hasOwn(AGENTS, name) ? AGENTS[name] : undefined;
}
