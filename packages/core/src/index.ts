/** Exports of `@truecast/core`: definitions, extraction, schemas, errors, and the event contract. Bundles for a browser. */
export { AgentError } from './errors/agent-error.ts';
export type { Attempt, CommitRef, RecoveredRef, SensitiveChange } from './errors/base/run-evidence.ts';
export type { Issue } from './kit/issue.ts';
export type { Prices, Usage } from './kit/usage.ts';
export { TruecastError } from './errors/base/truecast-error.ts';
export { BudgetExceededError } from './errors/budget-exceeded-error.ts';
export { InterruptedError } from './errors/interrupted-error.ts';
export { LimitError } from './errors/limit-error.ts';
export { CwdError, UsageError } from './errors/usage-error.ts';
export { LedgerError } from './errors/ledger-error.ts';
export { ManifestError, describeProblem } from './errors/manifest-error.ts';
export type { ManifestProblem } from './errors/manifest-error.ts';
export { ModelError } from './errors/model-error.ts';
export { RepositoryError } from './errors/repository-error.ts';
export { RequestEndedError } from './errors/request-ended-error.ts';
export { RunEndedError } from './errors/run-ended-error.ts';
export { SandboxError } from './errors/sandbox-error.ts';
export { SchemaError } from './errors/schema-error.ts';
export { ServerError } from './errors/server-error.ts';
export type { ServerProblem } from './errors/server-error.ts';
export { StructuredOutputError } from './errors/structured-output-error.ts';
export type { EventContractOptions } from './event-contract/event-options.ts';
export type {
  EventPayload,
  EventRepair,
  EventViolation,
  ParsedAgentOutput,
} from './event-contract/event-result.ts';
export { eventSchema } from './event-contract/event-schema.ts';
export { jsonInstruction } from './event-contract/json-instruction.ts';
export { parseAgentOutput } from './event-contract/parse-agent-output.ts';
export type { ParseAgentOutputOptions } from './event-contract/parse-agent-output.ts';
export { stubEvent } from './event-contract/stub-event.ts';
export type { StubEventOptions } from './event-contract/stub-event.ts';
export type * from './output/definition/definition.ts';
export type { AnswerMode, Provenance, Repair, SafeExtractResult } from './output/definition/provenance.ts';
export { extractOutput, safeExtractOutput } from './output/extract-output.ts';
export { Output } from './output/output.ts';
export type { OutputHelpers } from './output/output.ts';
export { createTagScanner } from './output/tag-scanner.ts';
export type { PartialOutput, TagScanner } from './output/tag-scanner.ts';
export { describeFailure } from './output/validate/describe-failure.ts';
export type { JsonSchema } from './schema/engine/read-schema.ts';
export type { FromJsonSchema } from './schema/from-json-schema.ts';
export { jsonSchema } from './schema/json-schema.ts';
export type { JsonSchemaHelper, StandardJsonSchema } from './schema/json-schema.ts';
export type { JsonValue } from './kit/json-value.ts';
