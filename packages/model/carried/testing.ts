/** Exports of `@truecast/model/testing`: a scripted model server, for tests and demonstrations. */
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
