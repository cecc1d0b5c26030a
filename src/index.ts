/** Main entry of the package: every name of `import … from 'truecast'`. */
export { AgentError } from './errors/agent-error.ts';
export type { AgentErrorCode, AgentErrorOptions } from './errors/agent-error.ts';
export type { Attempt } from './errors/base/attempt.ts';
export { BudgetExceededError } from './errors/budget-exceeded-error.ts';
export type { BudgetExceededErrorCode } from './errors/budget-exceeded-error.ts';
export { CwdError } from './errors/cwd-error.ts';
export { InterruptedError } from './errors/interrupted-error.ts';
export type { Issue } from './errors/base/issue.ts';
export { LedgerError } from './errors/ledger-error.ts';
export type { LedgerErrorCode } from './errors/ledger-error.ts';
export { LimitError } from './errors/limit-error.ts';
export type { LimitErrorCode, LimitErrorOptions } from './errors/limit-error.ts';
export { describeProblem, ManifestError } from './errors/manifest-error.ts';
export type { ManifestErrorCode, ManifestProblem } from './errors/manifest-error.ts';
export { RepositoryError } from './errors/repository-error.ts';
export type { RepositoryErrorCode, RepositoryErrorOptions } from './errors/repository-error.ts';
export type { CommitRef, RecoveredRef, RunEvidence } from './errors/base/run-evidence.ts';
export type { RunsAt, SensitiveChange, SensitiveReason } from './errors/base/sensitive-change.ts';
export { RequestEndedError } from './errors/request-ended-error.ts';
export type { RequestEndedErrorCode, RequestEndedErrorOptions } from './errors/request-ended-error.ts';
export { SandboxError } from './errors/sandbox-error.ts';
export type { SandboxErrorCode, SandboxErrorOptions } from './errors/sandbox-error.ts';
export { SchemaError } from './errors/schema-error.ts';
export type { SchemaErrorCode, SchemaErrorOptions } from './errors/schema-error.ts';
export { ServerError } from './errors/server-error.ts';
export type { ServerErrorCode, ServerErrorOptions, ServerProblem } from './errors/server-error.ts';
export { StructuredOutputError } from './errors/structured-output-error.ts';
export type {
  StructuredOutputErrorCode,
  StructuredOutputErrorOptions,
} from './errors/structured-output-error.ts';
export { TruecastError } from './errors/base/truecast-error.ts';
export type { TruecastErrorOptions } from './errors/base/truecast-error.ts';
export { UsageError } from './errors/usage-error.ts';
export type { UsageErrorCode } from './errors/usage-error.ts';
export type { Usage } from './errors/base/usage.ts';
export type { DeepPartial } from './output/definition/deep-partial.ts';
export type {
  AnyOutputDefinition,
  InferOutput,
  OutputArrayDefinition,
  OutputCheckContext,
  OutputChoiceDefinition,
  OutputDefinition,
  OutputJsonDefinition,
  OutputObjectDefinition,
  OutputOptions,
  OutputStringDefinition,
  Via,
} from './output/definition/definition.ts';
export { describeFailure } from './output/validate/describe-failure.ts';
export type { DescribeFailureOptions } from './output/validate/describe-failure.ts';
export { extractOutput, safeExtractOutput } from './output/extract-output.ts';
export { Output } from './output/output.ts';
export type { OutputHelpers } from './output/output.ts';
export type { Provenance, Repair, Route } from './output/definition/provenance.ts';
export type { SafeExtractResult } from './output/definition/safe-extract-result.ts';
export { createTagScanner } from './output/tag-scanner.ts';
export type { PartialOutput, TagScanner } from './output/tag-scanner.ts';
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
} from './ports/agent-provider.ts';
export { acp } from './agents/acp/acp.ts';
export type { AcpOptions } from './agents/acp/acp.ts';
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
  BranchStrategy,
  HeadBranchStrategy,
  MergeToHeadBranchStrategy,
  NamedBranchStrategy,
} from './git/command/branch-strategy.ts';
export type { Prices } from './errors/base/prices.ts';
export type { PromptArg, PromptArgs } from './run/prompt/prompt-args.ts';
export type { LifecycleEvent, RunEvent, RunPromise } from './run/events/run-events.ts';
export type {
  Budget,
  ContinueOptions,
  ContinueSession,
  IterationResult,
  LoggingOption,
  RunOptions,
  RunOptionsWithOutput,
  RunResult,
  RunResultWithOutput,
  RunLimits,
  Timeouts,
} from './run/options/run-options.ts';
export type { SensitiveChangesPolicy } from './run/review/sensitive-changes-policy.ts';
export type { AgentStreamEvent } from './run/events/agent-stream-event.ts';
export type {
  LineAgentProvider,
  LineAgentSessionStorage,
  ParsedStreamEvent,
} from './agents/stream/line-agent.ts';
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
export type { BindMountSandboxProviderOptions } from './sandboxes/shared/create-bind-mount-sandbox-provider.ts';
export { createIsolatedSandboxProvider } from './sandboxes/isolated/create-isolated-sandbox-provider.ts';
export type { IsolatedSandboxProviderOptions } from './sandboxes/isolated/create-isolated-sandbox-provider.ts';
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
  BindMountSandboxProvider,
  EgressAllow,
  EgressPolicy,
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
export type { HostSessionLookup } from './agents/sessions/host-sessions.ts';
export type { OpencodeSessionStorageOptions } from './agents/opencode/opencode-session.ts';
export type { CopilotSessionStorageOptions } from './agents/copilot/copilot-session.ts';
export type { PiSessionStorageOptions } from './agents/pi/pi-session.ts';
export { canonicalJson } from './schema/canonical-json.ts';
export { compileJsonSchema } from './schema/engine/compile-json-schema.ts';
export type { JsonSchemaResult, JsonSchemaValidator } from './schema/engine/compile-json-schema.ts';
export type { SchemaLimits } from './schema/engine/schema-limits.ts';
export type { FromJsonSchema } from './schema/from-json-schema.ts';
export type { JsonSchema } from './schema/engine/json-schema-types.ts';
export { jsonSchema } from './schema/json-schema.ts';
export type { JsonSchemaHelper, StandardJsonSchema } from './schema/json-schema.ts';
export type { JsonValue } from './schema/json-value.ts';
export { lowerJsonSchema } from './schema/dialects/lower-json-schema.ts';
export type { LoweredJsonSchema } from './schema/dialects/lower-json-schema.ts';
export type { SchemaChange, SchemaLoss } from './schema/dialects/lowering/lowering-port.ts';
export type { SchemaDialect } from './schema/dialects/profiles/dialect-profile.ts';
export { toJsonSchema } from './schema/to-json-schema.ts';
export { ModelError } from './errors/model-error.ts';
export type { ModelErrorCode, ModelErrorOptions } from './errors/model-error.ts';
export { generate } from './model/generate.ts';
export type { GenerateResult } from './model/generate.ts';
export type {
  GenerateBudget,
  GenerateCall,
  GenerateMessage,
  GenerateModel,
  GenerateOptions,
  GenerateRoute,
} from './model/call/generate-options.ts';
export { streamGenerate } from './model/stream-generate.ts';
export type { GenerateStream } from './model/stream-generate.ts';
export { openAICompatible } from './model/open-ai-compatible.ts';
export type { OpenAICompatibleOptions } from './model/open-ai-compatible.ts';
export { findUnexpressed } from './schema/unexpressed.ts';
