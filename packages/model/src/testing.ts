/** Exports of `@truecast/model/testing`: a scripted model server, for tests and demonstrations. */
export type { ModelScript, ScriptStep } from './scripted-model/model-script.ts';
export { scriptedModelServer } from './scripted-model/scripted-model-server.ts';
export type {
  RecordedRequest,
  ScriptedModelServer,
  ScriptedModelServerOptions,
} from './scripted-model/scripted-model-server.ts';
export { reply } from './scripted-model/turn/scripted-reply.ts';
export type { ReplyBuilders, ScriptedReply } from './scripted-model/turn/scripted-reply.ts';
export type { ScriptedTurn } from './scripted-model/turn/scripted-turn.ts';
export { shellOutput } from './scripted-model/turn/shell-tools.ts';
