/**
 * Exports of `truecast/sandcastle`: the 84 names of `@ai-hero/sandcastle` 0.12. A program for that
 * library changes its import line alone.
 */
export { claudeCode } from '../agents/claude-code/claude-code.ts';
export type { ClaudeCodeOptions } from '../agents/claude-code/claude-code.ts';
export {
  claudeHostSessionPath,
  claudeSandboxSessionPath,
  encodeProjectPath,
  findClaudeSessionOnHost,
} from '../agents/claude-code/claude-session-path.ts';
export { transferClaudeSession } from '../agents/claude-code/claude-session.ts';
export { findCodexSessionOnHost, transferCodexSession } from '../agents/codex/codex-session.ts';
export { codex } from '../agents/codex/codex.ts';
export type { CodexOptions } from '../agents/codex/codex.ts';
export { copilot } from '../agents/copilot/copilot.ts';
export type { CopilotOptions } from '../agents/copilot/copilot.ts';
export { cursor } from '../agents/cursor/cursor.ts';
export type { CursorOptions } from '../agents/cursor/cursor.ts';
export { opencode } from '../agents/opencode/opencode.ts';
export type { OpenCodeOptions } from '../agents/opencode/opencode.ts';
export { pi } from '../agents/pi/pi.ts';
export type { PiOptions } from '../agents/pi/pi.ts';
export type {
  BindMountBranchStrategy,
  BranchStrategy,
  HeadBranchStrategy,
  IsolatedBranchStrategy,
  MergeToHeadBranchStrategy,
  NamedBranchStrategy,
  NoSandboxBranchStrategy,
} from '../git/command/branch-strategy.ts';
export type { AgentCommandOptions, AgentProvider, PrintCommand } from '../ports/agent-provider.ts';
export type { HostSessionLookup } from '../ports/agent-sessions.ts';
export type {
  BindMountCreateOptions,
  BindMountSandboxHandle,
  ExecResult,
  IsolatedCreateOptions,
  NoSandboxHandle,
} from '../ports/custom-sandbox.ts';
export type {
  AnySandboxProvider,
  BindMountSandboxProvider,
  InteractiveExecOptions,
  IsolatedSandboxProvider,
  MountConfig,
  NoSandboxProvider,
  SandboxExecOptions,
  SandboxProvider,
} from '../ports/sandbox-provider.ts';
export {
  createFlatSandbox as createSandbox,
  createFlatWorktree as createWorktree,
} from '../sandcastle/flat-places.ts';
export type {
  FlatCreateSandboxOptions as CreateSandboxOptions,
  FlatCreateWorktreeOptions as CreateWorktreeOptions,
  FlatResumeOptions as ResumeSandboxRunResultOptions,
  FlatSandbox as Sandbox,
  FlatSandboxRunOptions as SandboxRunOptions,
  FlatSandboxRunResult as SandboxRunResult,
  FlatWorktree as Worktree,
  FlatWorktreeRunOptions as WorktreeRunOptions,
  FlatWorktreeRunResult as WorktreeRunResult,
} from '../sandcastle/flat-places.ts';
export type {
  FlatLoggingOption as LoggingOption,
  FlatRunOptions as RunOptions,
} from '../sandcastle/flat-options.ts';
export type { FlatRunResult as RunResult } from '../sandcastle/flat-result.ts';
export type { AgentStreamEvent } from '../run/events/agent-stream-event.ts';
export { interactFlat as interactive, runFlat as run } from '../sandcastle/run.ts';
export type { FlatInteractiveOptions as InteractiveOptions } from '../sandcastle/run.ts';
export type { CloseResult } from '../run/options/sandbox-options.ts';
export type { SandboxHooks } from '../run/options/hooks.ts';
export type { WorktreeBranchStrategy } from '../run/options/place-options.ts';
export type { Timeouts } from '../run/options/run-bounds.ts';
export type { IterationResult, IterationUsage } from '../run/options/run-options.ts';
export type { SandboxInteractiveOptions, SandboxInteractiveResult } from '../run/options/sandbox-options.ts';
export type {
  InteractiveResult,
  WorktreeCreateSandboxOptions,
  WorktreeInteractiveOptions,
} from '../run/options/worktree-options.ts';
export type { PromptArgs } from '../run/prompt/prompt-template.ts';
export { createIsolatedSandboxProvider } from '../sandboxes/isolated/create-isolated-sandbox-provider.ts';
export type { IsolatedSandboxProviderConfig } from '../sandboxes/isolated/create-isolated-sandbox-provider.ts';
export type { IsolatedSandboxHandle } from '../sandboxes/isolated/isolated-handle.ts';
export { createBindMountSandboxProvider } from '../sandboxes/shared/create-bind-mount-sandbox-provider.ts';
export type { BindMountSandboxProviderConfig } from '../sandboxes/shared/create-bind-mount-sandbox-provider.ts';
export { FlatOutput as Output } from '../sandcastle/output.ts';
export type {
  FlatOutputDefinition as OutputDefinition,
  FlatObjectDefinition as OutputObjectDefinition,
  FlatStringDefinition as OutputStringDefinition,
} from '../sandcastle/output.ts';
export { CwdError, StructuredOutputError } from '@truecast/core';
