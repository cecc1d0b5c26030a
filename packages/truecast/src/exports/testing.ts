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
export { reply, scriptedModelServer, shellOutput } from '@truecast/model/testing';
export type {
  ModelScript,
  RecordedRequest,
  ReplyBuilders,
  ScriptStep,
  ScriptedModelServer,
  ScriptedModelServerOptions,
  ScriptedReply,
  ScriptedTurn,
} from '@truecast/model/testing';
