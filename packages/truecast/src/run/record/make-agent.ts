/** Registry of agent CLIs by name, for the command line and for replays. */
import type { AgentProvider } from '../../ports/agent-provider.ts';
import { claudeCode } from '../../agents/claude-code/claude-code.ts';
import { codex } from '../../agents/codex/codex.ts';
import { copilot } from '../../agents/copilot/copilot.ts';
import { cursor } from '../../agents/cursor/cursor.ts';
import { geminiCli } from '../../agents/gemini-cli/gemini-cli.ts';
import { opencode } from '../../agents/opencode/opencode.ts';
import { pi } from '../../agents/pi/pi.ts';

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
