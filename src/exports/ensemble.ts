/** Exports of `truecast/ensemble`. Its event contract bundles for a browser. */
export { BudgetExceededError } from '../errors/budget-exceeded-error.ts';
export type { BudgetExceededErrorCode } from '../errors/budget-exceeded-error.ts';
export { LedgerError } from '../errors/ledger-error.ts';
export type { LedgerErrorCode } from '../errors/ledger-error.ts';
export { UsageError } from '../errors/usage-error.ts';
export type { EventContractOptions } from '../ensemble/contract/event-options.ts';
export type {
  EventPayload,
  EventRepair,
  EventRepairKind,
  EventTier,
  EventViolation,
  EventViolationCode,
  ParsedAgentOutput,
} from '../ensemble/contract/event-result.ts';
export { eventSchema } from '../ensemble/contract/event-schema.ts';
export { jsonInstruction } from '../ensemble/contract/json-instruction.ts';
export { parseAgentOutput } from '../ensemble/contract/parse-agent-output.ts';
export type { ParseAgentOutputOptions } from '../ensemble/contract/parse-agent-output.ts';
export { stubEvent } from '../ensemble/contract/stub-event.ts';
export type { StubEventOptions } from '../ensemble/contract/stub-event.ts';
export type { AgentScenario } from '../ensemble/scenario/agent-scenario.ts';
export { aiSdkProvider } from '../ensemble/providers/ai-sdk-provider.ts';
export type { AiSdkProviderOptions } from '../ensemble/providers/ai-sdk-provider.ts';
export type { AgentAct, AgentTurn, EnsembleAgent, ModelCall } from '../ensemble/scenario/ensemble-agent.ts';
export { manifestAgent } from '../ensemble/agent/manifest-agent.ts';
export type { AgentHandler, ManifestAgentOptions } from '../ensemble/agent/manifest-agent-options.ts';
export type { ImportanceTable } from '../ensemble/agent/prompt/importance.ts';
export type {
  Completion,
  Provider,
  ProviderRequest,
  StructuredCompletion,
  StructuredRequest,
} from '../ensemble/providers/provider.ts';
export { stubProvider } from '../ensemble/providers/stub-provider.ts';
export type { StubProviderOptions } from '../ensemble/providers/stub-provider.ts';
export type { NoContest } from '../ensemble/agent/verdict/settle-verdict.ts';
export type {
  AgentManifest,
  AgentMemory,
  AgentSchedule,
  ModelProfile,
} from '../ensemble/manifest/agent-manifest.ts';
export type { EventProvenance, EventRung, LedgerEvent } from '../ensemble/ledger/ledger-event.ts';
export type {
  CastMember,
  CastMemory,
  CastRole,
  Competition,
  EnsembleLimits,
  EnsembleScenario,
  Subscription,
} from '../ensemble/scenario/ensemble-scenario.ts';
export { createEnsemble, resumeEnsemble } from '../ensemble/conductor/ensemble.ts';
export type {
  Ensemble,
  EnsembleOptions,
  EnsembleStatus,
  ResumeOptions,
} from '../ensemble/conductor/ensemble.ts';
export type { Granted, LedgerOptions } from '../ensemble/ledger/grant-table.ts';
export type { EventDraft, Ledger, LedgerHandle } from '../ensemble/ledger/ledger.ts';
export type { TailOptions } from '../ensemble/ledger/tail.ts';
export { memoryLedger } from '../ensemble/ledger/memory-ledger.ts';
export { openLedger } from '../ensemble/ledger/open-ledger.ts';
export type { OpenedLedger, OpenLedgerOptions } from '../ensemble/ledger/open-ledger.ts';
export type { RunEnd, RunSeat, RunSummary } from '../ensemble/ledger/run-index.ts';
export { foldCompliance } from '../ensemble/projections/compliance.ts';
export type { ComplianceRow } from '../ensemble/projections/compliance.ts';
export type { Fold } from '../ensemble/ledger/fold.ts';
export { leaderboardOf } from '../ensemble/projections/leaderboard.ts';
export type { Leaderboard, LeaderboardRow } from '../ensemble/projections/leaderboard.ts';
export { foldStage } from '../ensemble/projections/stage.ts';
export type { Stage, StageNote } from '../ensemble/projections/stage.ts';
export { describeProblem, ManifestError } from '../errors/manifest-error.ts';
export type { ManifestErrorCode, ManifestProblem } from '../errors/manifest-error.ts';
export type { Environment } from '../ensemble/manifest/expand-variables.ts';
export type { KnownCode } from '../ensemble/manifest/judge-agent.ts';
export { loadEnsemble } from '../ensemble/manifest/load-ensemble.ts';
export { createModelRouter } from '../ensemble/manifest/model-router.ts';
export type { ModelRouter, ModelRouterOptions } from '../ensemble/manifest/model-router.ts';
export type { ModelEndpoint, ModelsManifest } from '../ensemble/manifest/models-manifest.ts';
export { parseAgentManifest } from '../ensemble/manifest/parse-agent-manifest.ts';
export type { EnsembleContext, EnsembleFolder } from '../ensemble/manifest/read-ensemble.ts';
export type { ScenarioManifest } from '../ensemble/manifest/scenario-manifest.ts';
export { toCastMember, toEnsembleScenario } from '../ensemble/manifest/to-ensemble-scenario.ts';
export type { ScenarioSettings } from '../ensemble/manifest/to-ensemble-scenario.ts';
