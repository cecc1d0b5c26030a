/**
 * Exports of `truecast/providers`: types and functions for custom agents, sandboxes and queues, and the
 * options of the built-in agents.
 */
export type { AcpOptions } from '../agents/acp/acp.ts';
export type { ClaudeCodeOptions } from '../agents/claude-code/claude-code.ts';
export type { CodexOptions } from '../agents/codex/codex.ts';
export type { CommandLineParser, CommandOptions } from '../agents/command.ts';
export type { CopilotOptions } from '../agents/copilot/copilot.ts';
export type { CursorOptions } from '../agents/cursor/cursor.ts';
export type { GeminiCliOptions } from '../agents/gemini-cli/gemini-cli.ts';
export type { OpenCodeOptions } from '../agents/opencode/opencode.ts';
export type { PiOptions } from '../agents/pi/pi.ts';
export type {
  AgentCommandOptions,
  AgentEvent,
  AgentExecution,
  AgentProvider,
  AgentStreamParser,
  AgentStreamParserOptions,
  McpServerCommand,
  NativeMode,
  NativeSchema,
  ParsedStreamEvent,
  PrintCommand,
  ResumableAgentProvider,
  StreamAgentProvider,
} from '../ports/agent-provider.ts';
export type {
  AgentSessionStorage,
  HostSessionLookup,
  HostSessionStorage,
  SessionLocation,
} from '../ports/agent-sessions.ts';
export type {
  BindMountCreateOptions,
  BindMountSandboxHandle,
  ExecResult,
  IsolatedCreateOptions,
  NoSandboxHandle,
} from '../ports/custom-sandbox.ts';
export type { ModelAccess } from '../ports/model-access.ts';
export type {
  BindMountSandboxProvider,
  EgressAllow,
  EgressPolicy,
  InteractiveExecOptions,
  IsolatedSandboxProvider,
  MountConfig,
  NoSandboxProvider,
  SandboxCreateOptions,
  SandboxExecOptions,
  SandboxExecResult,
  SandboxHandle,
  SandboxProvider,
  WorktreeGitPaths,
} from '../ports/sandbox-provider.ts';
export type { BatchFailure, BatchItem, BatchQueue, BatchSuccess } from '../run/batch/batch-queue.ts';
export type { IterationUsage } from '../run/options/run-options.ts';
export type { ReplayOptions } from '../run/record/replay.ts';
export { createIsolatedSandboxProvider } from '../sandboxes/isolated/create-isolated-sandbox-provider.ts';
export type { IsolatedSandboxProviderConfig } from '../sandboxes/isolated/create-isolated-sandbox-provider.ts';
export type { IsolatedSandboxHandle } from '../sandboxes/isolated/isolated-handle.ts';
export { createBindMountSandboxProvider } from '../sandboxes/shared/create-bind-mount-sandbox-provider.ts';
export type { BindMountSandboxProviderConfig } from '../sandboxes/shared/create-bind-mount-sandbox-provider.ts';
