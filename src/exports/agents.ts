/** Exports of `truecast/agents`. */
export type {
  AgentCommandOptions,
  AgentEvent,
  AgentExecution,
  AgentProvider,
  AgentSessionStorage,
  AgentStreamParser,
  AgentStreamParserOptions,
  McpServerCommand,
  NativeRoute,
  NativeSchema,
  PrintCommand,
  SessionLocation,
} from '../run/agents/agent-provider.ts';
export { acp } from '../run/agents/acp.ts';
export type { AcpOptions } from '../run/agents/acp.ts';
export { claudeCode } from '../run/agents/claude-code.ts';
export type { ClaudeCodeOptions } from '../run/agents/claude-code.ts';
export { codex } from '../run/agents/codex.ts';
export type { CodexOptions } from '../run/agents/codex.ts';
export { command } from '../run/agents/command.ts';
export type { CommandLineParser, CommandOptions } from '../run/agents/command.ts';
export { copilot } from '../run/agents/copilot.ts';
export type { CopilotOptions } from '../run/agents/copilot.ts';
export { cursor } from '../run/agents/cursor.ts';
export type { CursorOptions } from '../run/agents/cursor.ts';
export { geminiCli } from '../run/agents/gemini-cli.ts';
export type { GeminiCliOptions } from '../run/agents/gemini-cli.ts';
export type { ModelAccess } from '../run/agents/model-access.ts';
export { opencode } from '../run/agents/opencode.ts';
export type { OpenCodeOptions } from '../run/agents/opencode.ts';
export { pi } from '../run/agents/pi.ts';
export type { PiOptions } from '../run/agents/pi.ts';
export type {
  LineAgentProvider,
  LineAgentSessionStorage,
  ParsedStreamEvent,
} from '../run/agents/line-agent.ts';
export { replay } from '../run/agents/replay.ts';
export type { ReplayOptions } from '../run/agents/replay.ts';
