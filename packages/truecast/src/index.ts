/** Main entry of the package: every name of `import … from 'truecast'`. */
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
} from './ports/agent-provider.ts';
export type {
  AgentSessionStorage,
  HostSessionLookup,
  HostSessionStorage,
  SessionLocation,
} from './ports/agent-sessions.ts';
export { acp } from './agents/acp/acp.ts';
export type { AcpOptions } from './agents/acp/acp.ts';
export type { AcpPresetName } from './agents/acp/presets.ts';
export { claudeCode } from './agents/claude-code/claude-code.ts';
export type { ClaudeCodeOptions } from './agents/claude-code/claude-code.ts';
export { codex } from './agents/codex/codex.ts';
export type { CodexOptions } from './agents/codex/codex.ts';
export { command } from './agents/command.ts';
export type { CommandLineParser, CommandOptions } from './agents/command.ts';
export { geminiCli } from './agents/gemini-cli/gemini-cli.ts';
export type { GeminiCliOptions } from './agents/gemini-cli/gemini-cli.ts';
export type { ModelAccess } from './ports/model-access.ts';
export { opencode } from './agents/opencode/opencode.ts';
export type { OpenCodeOptions } from './agents/opencode/opencode.ts';
export { copilot } from './agents/copilot/copilot.ts';
export type { CopilotOptions } from './agents/copilot/copilot.ts';
export { cursor } from './agents/cursor/cursor.ts';
export type { CursorOptions } from './agents/cursor/cursor.ts';
export { pi } from './agents/pi/pi.ts';
export type { PiOptions } from './agents/pi/pi.ts';
export { replay } from './run/record/replay.ts';
export type { ReplayOptions } from './run/record/replay.ts';
export type {
  BatchOptions,
  BatchOptionsWithOutput,
  BatchProgress,
  BatchSummary,
} from './run/batch/batch-options.ts';
export type {
  BatchFailure,
  BatchInput,
  BatchItem,
  BatchQueue,
  BatchResult,
  BatchSuccess,
} from './run/batch/batch-queue.ts';
export type { BatchInputs } from './run/batch/read-batch-inputs.ts';
export { runBatch } from './run/batch/run-batch.ts';
export type {
  BindMountBranchStrategy,
  BranchStrategy,
  HeadBranchStrategy,
  IsolatedBranchStrategy,
  MergeToHeadBranchStrategy,
  NamedBranchStrategy,
  NoSandboxBranchStrategy,
} from './git/command/branch-strategy.ts';
export type { PromptArg, PromptArgs } from './run/prompt/prompt-args.ts';
export type { LifecycleEvent, RunEvent, RunPromise } from './run/events/run-events.ts';
export type { Budget, KeptRunsOption, LoggingOption, RunLimits, Timeouts } from './run/options/run-bounds.ts';
export type {
  ContinueOptions,
  ContinueSession,
  IterationResult,
  IterationUsage,
  RunOptions,
  RunOptionsWithOutput,
  RunResult,
  RunResultWithOutput,
} from './run/options/run-options.ts';
export type { SensitiveChangesPolicy } from './run/review/sensitive-changes-policy.ts';
export type { AgentStreamEvent } from './run/events/agent-stream-event.ts';
export { createSandbox } from './run/create-sandbox.ts';
export type { CreateSandboxOptions } from './run/create-sandbox.ts';
export { createWorktree } from './run/create-worktree.ts';
export { interactive } from './run/interactive.ts';
export type { CloseResult } from './run/options/close-result.ts';
export type { WorktreeBranchStrategy } from './run/options/place-options.ts';
export type {
  ResumeSandboxRunResultOptions,
  Sandbox,
  SandboxInteractiveOptions,
  SandboxInteractiveResult,
  SandboxRunOptions,
  SandboxRunOptionsWithOutput,
  SandboxRunResult,
} from './run/options/sandbox-options.ts';
export type {
  CreateWorktreeOptions,
  InteractiveOptions,
  InteractiveResult,
  Worktree,
  WorktreeCreateSandboxOptions,
  WorktreeInteractiveOptions,
  WorktreeRunOptions,
  WorktreeRunOptionsWithOutput,
  WorktreeRunResult,
} from './run/options/worktree-options.ts';
export { run } from './run/run.ts';
export type { HostHook, SandboxHook, SandboxHooks } from './run/options/hooks.ts';
export { bubblewrap } from './sandboxes/bubblewrap.ts';
export type { BubblewrapOptions } from './sandboxes/bubblewrap.ts';
export { createBindMountSandboxProvider } from './sandboxes/shared/create-bind-mount-sandbox-provider.ts';
export type { BindMountSandboxProviderConfig } from './sandboxes/shared/create-bind-mount-sandbox-provider.ts';
export { createIsolatedSandboxProvider } from './sandboxes/isolated/create-isolated-sandbox-provider.ts';
export type { IsolatedSandboxProviderConfig } from './sandboxes/isolated/create-isolated-sandbox-provider.ts';
export type { IsolatedSandboxHandle } from './sandboxes/isolated/isolated-handle.ts';
export type { EgressObserver } from './ports/egress-observer.ts';
export { docker } from './sandboxes/docker.ts';
export type { DockerOptions } from './sandboxes/docker.ts';
export type { ModelRequest } from './sandboxes/egress/model/model-proxy.ts';
export { noSandbox } from './sandboxes/no-sandbox.ts';
export type { NoSandboxOptions } from './sandboxes/no-sandbox.ts';
export { podman } from './sandboxes/podman.ts';
export type { PodmanOptions } from './sandboxes/podman.ts';
export type {
  BindMountCreateOptions,
  BindMountSandboxHandle,
  ExecResult,
  IsolatedCreateOptions,
  NoSandboxHandle,
} from './ports/custom-sandbox.ts';
export type {
  AnySandboxProvider,
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
  GitHandOver,
  SandboxHandle,
  SandboxProvider,
  SentBeside,
  WorktreeGitPaths,
} from './ports/sandbox-provider.ts';
export {
  claudeHostSessionPath,
  claudeSandboxSessionPath,
  encodeProjectPath,
  findClaudeSessionOnHost,
} from './agents/claude-code/claude-session-path.ts';
export { transferClaudeSession } from './agents/claude-code/claude-session.ts';
export type { ClaudeSessionStorageOptions } from './agents/claude-code/claude-session.ts';
export { findCodexSessionOnHost } from './agents/codex/codex-session-path.ts';
export { transferCodexSession } from './agents/codex/codex-session.ts';
export type { CodexSessionStorageOptions } from './agents/codex/codex-session.ts';
export type { GeminiSessionStorageOptions } from './agents/gemini-cli/gemini-session.ts';
export type { OpencodeSessionStorageOptions } from './agents/opencode/opencode-session.ts';
export type { CopilotSessionStorageOptions } from './agents/copilot/copilot-session.ts';
export type { PiSessionStorageOptions } from './agents/pi/pi-session.ts';
export {
  AgentError,
  BudgetExceededError,
  CwdError,
  InterruptedError,
  LedgerError,
  LimitError,
  ManifestError,
  ModelError,
  Output,
  RepositoryError,
  RequestEndedError,
  SandboxError,
  SchemaError,
  ServerError,
  StructuredOutputError,
  TruecastError,
  UsageError,
  canonicalJson,
  compileJsonSchema,
  createTagScanner,
  describeFailure,
  describeProblem,
  extractOutput,
  findUnexpressed,
  jsonSchema,
  lowerJsonSchema,
  safeExtractOutput,
  toJsonSchema,
} from '@truecast/core';
export type {
  AgentErrorCode,
  AgentErrorOptions,
  AnyOutputDefinition,
  Attempt,
  BudgetExceededErrorCode,
  CommitRef,
  DeepPartial,
  DescribeFailureOptions,
  FromJsonSchema,
  InferOutput,
  Issue,
  JsonSchema,
  JsonSchemaHelper,
  JsonSchemaResult,
  JsonSchemaValidator,
  JsonValue,
  LedgerErrorCode,
  LimitErrorCode,
  LimitErrorOptions,
  LoweredJsonSchema,
  ManifestErrorCode,
  ManifestProblem,
  ModelErrorCode,
  ModelErrorOptions,
  OutputArrayDefinition,
  OutputCheckContext,
  OutputChoiceDefinition,
  OutputDefinition,
  OutputHelpers,
  OutputJsonDefinition,
  OutputObjectDefinition,
  OutputOptions,
  OutputStringDefinition,
  PartialOutput,
  Prices,
  Provenance,
  RecoveredRef,
  Repair,
  RepositoryErrorCode,
  RepositoryErrorOptions,
  RequestEndedErrorCode,
  RequestEndedErrorOptions,
  Route,
  RunEvidence,
  RunsAt,
  SafeExtractResult,
  SandboxErrorCode,
  SandboxErrorOptions,
  SchemaChange,
  SchemaDialect,
  SchemaErrorCode,
  SchemaErrorOptions,
  SchemaLimits,
  SchemaLoss,
  SensitiveChange,
  SensitiveReason,
  ServerErrorCode,
  ServerErrorOptions,
  ServerProblem,
  StandardJsonSchema,
  StructuredOutputErrorCode,
  StructuredOutputErrorOptions,
  TagScanner,
  TruecastErrorOptions,
  Usage,
  UsageErrorCode,
  Via,
} from '@truecast/core';
export { generate, openAICompatible, streamGenerate } from '@truecast/model';
export type {
  GenerateBudget,
  GenerateCall,
  GenerateMessage,
  GenerateModel,
  GenerateOptions,
  GenerateResult,
  GenerateRoute,
  GenerateStream,
  OpenAICompatibleOptions,
} from '@truecast/model';
