/** Main entry of the package: every name of `import … from 'truecast'`, at most 73 (ADR 0203). */
export { acp } from './agents/acp/acp.ts';
export { claudeCode } from './agents/claude-code/claude-code.ts';
export { codex } from './agents/codex/codex.ts';
export { command } from './agents/command.ts';
export { copilot } from './agents/copilot/copilot.ts';
export { cursor } from './agents/cursor/cursor.ts';
export { geminiCli } from './agents/gemini-cli/gemini-cli.ts';
export { opencode } from './agents/opencode/opencode.ts';
export { pi } from './agents/pi/pi.ts';
export type { BranchStrategy } from './git/command/branch-strategy.ts';
export type { AgentProvider, ResumableAgentProvider } from './ports/agent-provider.ts';
export type { SandboxProvider } from './ports/sandbox-provider.ts';
export type { BatchOptions, BatchSummary } from './run/batch/batch-options.ts';
export type { BatchResult } from './run/batch/batch-queue.ts';
export { runBatch } from './run/batch/run-batch.ts';
export { createSandbox } from './run/create-sandbox.ts';
export { createWorktree } from './run/create-worktree.ts';
export type { AgentStreamEvent } from './run/events/agent-stream-event.ts';
export type { RunEvent, RunPromise } from './run/events/run-events.ts';
export { interactive } from './run/interactive.ts';
export type { SandboxHooks } from './run/options/hooks.ts';
export type { Budget, LoggingOption, RunPolicies, RunTimeouts } from './run/options/run-bounds.ts';
export type {
  RunOptions,
  RunOptionsWithOutput,
  RunResult,
  RunResultWithOutput,
} from './run/options/run-options.ts';
export type { Sandbox } from './run/options/sandbox-options.ts';
export type { Worktree } from './run/options/worktree-options.ts';
export { merge } from './run/merge/merge.ts';
export type { MergeOptions, MergeResult } from './run/options/merge-options.ts';
export { replay } from './run/record/replay.ts';
export { run } from './run/run.ts';
export { bubblewrap } from './sandboxes/bubblewrap.ts';
export { docker } from './sandboxes/docker.ts';
export { noSandbox } from './sandboxes/no-sandbox.ts';
export { podman } from './sandboxes/podman.ts';
export {
  AgentError,
  InterruptedError,
  LimitError,
  ModelError,
  Output,
  RepositoryError,
  SandboxError,
  SchemaError,
  StructuredOutputError,
  TruecastError,
  UsageError,
  describeFailure,
  extractOutput,
  jsonSchema,
  safeExtractOutput,
} from '@truecast/core';
export type {
  AnyOutputDefinition,
  Attempt,
  CommitRef,
  DeepPartial,
  InferOutput,
  Issue,
  OutputDefinition,
  Provenance,
  Usage,
} from '@truecast/core';
export { generate, openAICompatible } from '@truecast/model';
export type { GenerateModel, GenerateOptions, GeneratePromise, GenerateResult } from '@truecast/model';
