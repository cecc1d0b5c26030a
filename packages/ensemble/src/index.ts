/** Exports of `@truecast/ensemble`. Its event contract bundles for a browser. */
export type { AgentScenario } from './scenario/agent-scenario.ts';
export { aiSdkProvider } from './providers/ai-sdk-provider.ts';
export type { AiSdkProviderOptions } from './providers/ai-sdk-provider.ts';
export type { AgentAct, AgentTurn, EnsembleAgent, ModelCall } from './scenario/ensemble-agent.ts';
export { manifestAgent } from './agent/manifest-agent.ts';
export type { AgentHandler, ManifestAgentOptions } from './agent/manifest-agent-options.ts';
export type { ImportanceTable } from './agent/prompt/importance.ts';
export type {
  Completion,
  Provider,
  ProviderRequest,
  StructuredCompletion,
  StructuredRequest,
} from './providers/provider.ts';
export { stubProvider } from './providers/stub-provider.ts';
export type { StubProviderOptions } from './providers/stub-provider.ts';
export type { NoContest } from './agent/verdict/settle-verdict.ts';
export type { AgentManifest, AgentMemory, AgentSchedule, ModelProfile } from './manifest/agent-manifest.ts';
export type { EventProvenance, EventRung, LedgerEvent } from './ledger/ledger-event.ts';
export type {
  CastMember,
  CastMemory,
  CastRole,
  Competition,
  EnsembleLimits,
  EnsembleScenario,
  Subscription,
} from './scenario/ensemble-scenario.ts';
export { createEnsemble, resumeEnsemble } from './conductor/ensemble.ts';
export type { Ensemble, EnsembleOptions, EnsembleStatus, ResumeOptions } from './conductor/ensemble.ts';
export type { Granted, LedgerOptions } from './ledger/grant-table.ts';
export type { EventDraft, Ledger, LedgerHandle } from './ledger/ledger.ts';
export type { TailOptions } from './ledger/tail.ts';
export { memoryLedger } from './ledger/memory-ledger.ts';
export { openLedger } from './ledger/open-ledger.ts';
export type { OpenedLedger, OpenLedgerOptions } from './ledger/open-ledger.ts';
export type { RunEnd, RunSeat, RunSummary } from './ledger/run-index.ts';
export { foldCompliance } from './projections/compliance.ts';
export type { ComplianceRow } from './projections/compliance.ts';
export type { Fold } from './ledger/fold.ts';
export { leaderboardOf } from './projections/leaderboard.ts';
export type { Leaderboard, LeaderboardRow } from './projections/leaderboard.ts';
export { foldStage } from './projections/stage.ts';
export type { Stage, StageNote } from './projections/stage.ts';
export type { Environment } from './manifest/models-manifest.ts';
export type { KnownCode } from './manifest/judge-agent.ts';
export { loadEnsemble, parseAgentManifest } from './manifest/load-ensemble.ts';
export { createModelRouter } from './manifest/model-router.ts';
export type { ModelRouter, ModelRouterOptions } from './manifest/model-router.ts';
export type { ModelEndpoint, ModelsManifest } from './manifest/models-manifest.ts';
export type { EnsembleContext, EnsembleFolder } from './manifest/read-ensemble.ts';
export type { ScenarioManifest } from './manifest/scenario-manifest.ts';
export { toCastMember, toEnsembleScenario } from './manifest/to-ensemble-scenario.ts';
export type { ScenarioSettings } from './manifest/to-ensemble-scenario.ts';
export {
  BudgetExceededError,
  LedgerError,
  ManifestError,
  UsageError,
  describeProblem,
  eventSchema,
  jsonInstruction,
  parseAgentOutput,
  stubEvent,
} from '@truecast/core';
export type {
  BudgetExceededErrorCode,
  EventContractOptions,
  EventPayload,
  EventRepair,
  EventRepairKind,
  EventTier,
  EventViolation,
  EventViolationCode,
  LedgerErrorCode,
  ManifestErrorCode,
  ManifestProblem,
  ParseAgentOutputOptions,
  ParsedAgentOutput,
  StubEventOptions,
} from '@truecast/core';
