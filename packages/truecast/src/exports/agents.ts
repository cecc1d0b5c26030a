/** Exports of `truecast/agents`. */
export type {
  AgentCommandOptions,
  AgentEvent,
  AgentExecution,
  AgentProvider,
  AgentStreamParser,
  AgentStreamParserOptions,
  McpServerCommand,
  NativeRoute,
  NativeSchema,
  ParsedStreamEvent,
  PrintCommand,
  ResumableAgentProvider,
  StreamAgentProvider,
} from '../ports/agent-provider.ts';
export type { AgentSessionStorage, HostSessionStorage, SessionLocation } from '../ports/agent-sessions.ts';
export { acp } from '../agents/acp/acp.ts';
export type { AcpOptions } from '../agents/acp/acp.ts';
export type { AcpPresetName } from '../agents/acp/presets.ts';
export { claudeCode } from '../agents/claude-code/claude-code.ts';
export type { ClaudeCodeOptions } from '../agents/claude-code/claude-code.ts';
export { codex } from '../agents/codex/codex.ts';
export type { CodexOptions } from '../agents/codex/codex.ts';
export { command } from '../agents/command.ts';
export type { CommandLineParser, CommandOptions } from '../agents/command.ts';
export { copilot } from '../agents/copilot/copilot.ts';
export type { CopilotOptions } from '../agents/copilot/copilot.ts';
export { cursor } from '../agents/cursor/cursor.ts';
export type { CursorOptions } from '../agents/cursor/cursor.ts';
export { geminiCli } from '../agents/gemini-cli/gemini-cli.ts';
export type { GeminiCliOptions } from '../agents/gemini-cli/gemini-cli.ts';
export type { ModelAccess } from '../ports/model-access.ts';
export { opencode } from '../agents/opencode/opencode.ts';
export type { OpenCodeOptions } from '../agents/opencode/opencode.ts';
export { pi } from '../agents/pi/pi.ts';
export type { PiOptions } from '../agents/pi/pi.ts';
export { replay } from '../run/record/replay.ts';
export type { ReplayOptions } from '../run/record/replay.ts';
