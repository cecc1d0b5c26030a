/**
 * Configuration that points each real CLI at the scripted model, as a user would point it at a
 * custom model.
 */
import type { StreamAgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { copilot } from '../../packages/truecast/src/agents/copilot/copilot.ts';
import { opencode } from '../../packages/truecast/src/agents/opencode/opencode.ts';
import { geminiCli } from '../../packages/truecast/src/agents/gemini-cli/gemini-cli.ts';
import { pi } from '../../packages/truecast/src/agents/pi/pi.ts';
import type { ScriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { FORM } from '../matrix.ts';
import { OPENCODE_CONFIGURED, type RealCli } from './real-cli.ts';

/** The key that the scripted model accepts. */
export const KEY = 'sk-test-key-that-must-stay-outside';

/** A CLI and its usage. */
export interface CliCase {
  readonly cli: RealCli;
  readonly title: string;
  agent(server: ScriptedModelServer | undefined): StreamAgentProvider;
  /** Points the agent at the server by the host's environment, as a user would. */
  environment(server: ScriptedModelServer, home: string): Readonly<Record<string, string>>;
}

/** CLIs that need 3 to 6 s of processor time to start. */
const SLOW: readonly RealCli[] = ['opencode', 'copilot', 'gemini'];

/**
 * Rows of a matrix of CLIs. The short form leaves slow CLIs out: each suite has one case that it
 * always tries with them.
 */
export function triedRows<Row extends { readonly cli: RealCli }>(rows: readonly Row[]): readonly Row[] {
  return FORM === 'whole' ? rows : rows.filter(({ cli }) => !SLOW.includes(cli));
}

/** The tested CLIs. */
export const CLI_CASES: readonly CliCase[] = [
  {
    cli: 'claude',
    title: 'Claude Code',
    agent: () => claudeCode('claude-opus-4-8'),
    environment: (server, home) => ({
      HOME: home,
      ANTHROPIC_BASE_URL: server.anthropicUrl,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
    }),
  },
  {
    cli: 'opencode',
    title: 'OpenCode',
    // As its own environment, the settings reach it in a sandbox too.
    agent: (server) =>
      opencode('local/scripted', {
        env: OPENCODE_CONFIGURED,
        ...(server !== undefined && { baseURL: server.openaiUrl }),
      }),
    environment: (_server, home) => ({ HOME: home, OPENAI_API_KEY: KEY }),
  },
  {
    cli: 'codex',
    title: 'Codex',
    // Codex itself reads no base URL from the environment.
    agent: (server) => codex('gpt-5.4', server === undefined ? {} : { baseURL: server.openaiUrl }),
    environment: (server, home) => ({
      HOME: home,
      OPENAI_BASE_URL: server.openaiUrl,
      OPENAI_API_KEY: KEY,
    }),
  },
  {
    cli: 'copilot',
    title: 'Copilot',
    agent: () => copilot('scripted'),
    environment: (server, home) => ({
      HOME: home,
      COPILOT_PROVIDER_BASE_URL: server.openaiUrl,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_OFFLINE: 'true',
    }),
  },
  {
    cli: 'gemini',
    title: 'Gemini CLI',
    agent: (server) => geminiCli('gemini-2.5-pro', server === undefined ? {} : { baseURL: server.geminiUrl }),
    environment: (_server, home) => ({ HOME: home, GEMINI_API_KEY: KEY }),
  },
  {
    cli: 'pi',
    title: 'Pi',
    agent: (server) => pi('local/scripted', server === undefined ? {} : { baseURL: server.openaiUrl }),
    environment: (_server, home) => ({ HOME: home, OPENAI_API_KEY: KEY, PI_OFFLINE: '1' }),
  },
];
