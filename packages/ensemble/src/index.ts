/** Exports of `@truecast/ensemble`. Its event contract bundles for a browser. */
export type { AgentScenario } from './scenario/agent-scenario.ts';
export { aiSdkProvider } from './providers/ai-sdk-provider.ts';
export type { AiSdkProviderOptions } from './providers/ai-sdk-provider.ts';
export type { AgentAct, AgentTurn, EnsembleAgent, ModelCall } from './scenario/ensemble-agent.ts';
export { manifestAgent } from './agent/manifest-agent.ts';
export type { AgentHandler, ManifestAgentOptions } from './agent/manifest-agent-options.ts';
export type {
  Completion,
  Provider,
  ProviderRequest,
  StructuredCompletion,
  StructuredRequest,
} from './providers/provider.ts';
export { stubProvider } from './providers/stub-provider.ts';
export type { StubProviderOptions } from './providers/stub-provider.ts';
export type { AgentManifest } from './manifest/agent-manifest.ts';
export type { EventProvenance, LedgerEvent } from './ledger/ledger-event.ts';
export type { CastMember, EnsembleLimits, EnsembleScenario } from './scenario/ensemble-scenario.ts';
export { createEnsemble, resumeEnsemble } from './conductor/ensemble.ts';
export type { Ensemble, EnsembleOptions, ResumeOptions } from './conductor/ensemble.ts';
export type { LedgerOptions } from './ledger/grant-table.ts';
export type { EventDraft, Ledger, LedgerHandle } from './ledger/ledger.ts';
export { memoryLedger } from './ledger/memory-ledger.ts';
export { openLedger } from './ledger/open-ledger.ts';
export type { OpenedLedger, OpenLedgerOptions } from './ledger/open-ledger.ts';
export type { RunEnd, RunSummary } from './ledger/run-index.ts';
export { foldCompliance } from './projections/compliance.ts';
export type { Fold } from './ledger/fold.ts';
export { leaderboardOf } from './projections/leaderboard.ts';
export type { Leaderboard } from './projections/leaderboard.ts';
export { foldStage } from './projections/stage.ts';
export type { Stage } from './projections/stage.ts';
export { loadEnsemble, parseAgentManifest } from './manifest/load-ensemble.ts';
export { playEnsemble } from './play-ensemble.ts';
export type { PlayEnsembleOptions } from './play-ensemble.ts';
export { createModelRouter } from './manifest/model-router.ts';
export type { ModelRouter, ModelRouterOptions } from './manifest/model-router.ts';
export type { ModelsManifest } from './manifest/models-manifest.ts';
export type { EnsembleContext, EnsembleFolder } from './manifest/read-ensemble.ts';
export type { ScenarioManifest } from './manifest/scenario-manifest.ts';
export { toCastMember, toEnsembleScenario } from './manifest/to-ensemble-scenario.ts';
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
  EventContractOptions,
  EventPayload,
  EventRepair,
  EventViolation,
  ManifestProblem,
  ParseAgentOutputOptions,
  ParsedAgentOutput,
  StubEventOptions,
} from '@truecast/core';
