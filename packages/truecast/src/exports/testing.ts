/**
 * Exports of `truecast/testing`: the fakes that our own tests use, and the conformance suites for
 * providers.
 */
export { escapeSuite } from '../testing/escape-suite.ts';
export type { EscapeSuiteOptions } from '../testing/escape-suite.ts';
export { offlineAgent } from '../testing/offline-agent/offline-agent-provider.ts';
export type { OfflineAgentOptions } from '../testing/offline-agent/offline-agent-provider.ts';
export { localIsolatedSandbox } from '../testing/local-isolated-sandbox.ts';
export type { LocalIsolatedSandboxOptions } from '../testing/local-isolated-sandbox.ts';
export { sandboxContract } from '../testing/sandbox-contract.ts';
export { step } from '../testing/scripted-agent/agent-step.ts';
export type { AgentStep, StepBuilders } from '../testing/scripted-agent/agent-step.ts';
export { scriptedAgent } from '../testing/scripted-agent/scripted-agent.ts';
export type {
  ScriptedAgent,
  ScriptedAgentCall,
  ScriptedAgentOptions,
} from '../testing/scripted-agent/scripted-agent.ts';
export type { LocalServerName } from '@truecast/model/internal/scripted-model/turn/scripted-turn';
export type { ModelScript, ScriptStep } from '@truecast/model/internal/scripted-model/model-script';
export { scriptedModelServer } from '@truecast/model/internal/scripted-model/scripted-model-server';
export type {
  RecordedRequest,
  ScriptedModelServer,
  ScriptedModelServerOptions,
} from '@truecast/model/internal/scripted-model/scripted-model-server';
export { reply } from '@truecast/model/internal/scripted-model/turn/scripted-reply';
export type {
  ReplyBuilders,
  ScriptedReply,
  ScriptedWebSearch,
} from '@truecast/model/internal/scripted-model/turn/scripted-reply';
export type { ScriptedTurn } from '@truecast/model/internal/scripted-model/turn/scripted-turn';
export { shellOutput } from '@truecast/model/internal/scripted-model/turn/shell-tools';
