/**
 * Exports of `truecast/testing`: the fakes that our own tests use, and the conformance suites for
 * providers.
 */
export { escapeSuite } from '@truecast/testing/internal/escape-suite';
export type { EscapeSuiteOptions } from '@truecast/testing/internal/escape-suite';
export { offlineAgent } from '@truecast/testing/internal/offline-agent/offline-agent-provider';
export type { OfflineAgentOptions } from '@truecast/testing/internal/offline-agent/offline-agent-provider';
export { localIsolatedSandbox } from '@truecast/testing/internal/local-isolated-sandbox';
export type { LocalIsolatedSandboxOptions } from '@truecast/testing/internal/local-isolated-sandbox';
export { sandboxContract } from '@truecast/testing/internal/sandbox-contract';
export { step } from '@truecast/testing/internal/scripted-agent/agent-step';
export type { AgentStep, StepBuilders } from '@truecast/testing/internal/scripted-agent/agent-step';
export { scriptedAgent } from '@truecast/testing/internal/scripted-agent/scripted-agent';
export type {
  ScriptedAgent,
  ScriptedAgentCall,
  ScriptedAgentOptions,
} from '@truecast/testing/internal/scripted-agent/scripted-agent';
export type { ModelScript, ScriptStep } from '@truecast/testing/internal/scripted-model/model-script';
export { scriptedModelServer } from '@truecast/testing/internal/scripted-model/scripted-model-server';
export type {
  RecordedRequest,
  ScriptedModelServer,
  ScriptedModelServerOptions,
} from '@truecast/testing/internal/scripted-model/scripted-model-server';
export { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
export type {
  ReplyBuilders,
  ScriptedReply,
} from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
export type { ScriptedTurn } from '@truecast/testing/internal/scripted-model/turn/scripted-turn';
export { shellOutput } from '@truecast/testing/internal/scripted-model/turn/shell-tools';
