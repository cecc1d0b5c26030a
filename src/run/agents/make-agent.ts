/** Registry of agent CLIs by name, for the command line and for replays. */
import type { AgentProvider } from './agent-provider.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { geminiCli } from './gemini-cli.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';

/** Agent factories by name. Each takes an optional model. */
export const AGENT_MAKERS: Readonly<Record<string, (model: string | undefined) => AgentProvider>> = {
  'claude-code': (model) => claudeCode(model),
  codex: (model) => codex(model),
  'gemini-cli': (model) => geminiCli(model),
  opencode: (model) => opencode(model),
  copilot: (model) => copilot(model),
  cursor: (model) => cursor(model),
  pi: (model) => pi(model),
};
