/** Tests of F6: a service that ignores the schema mode in silence, and a reply that was cut. */
import { expect } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { declareGuarantee } from './guarantee.ts';
import { rightOf } from './played-reply.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

const isNative = ({ jsonSchema }: ScriptedTurn): boolean => jsonSchema !== undefined;

/** Asks twice, and returns for each request whether it used the schema mode. */
async function nativeCalls(
  route: ModelRouteName,
  script: (turn: ScriptedTurn) => ScriptedReply,
  times: number,
): Promise<readonly (readonly boolean[])[]> {
  await using server = await scriptedModelServer({ script });
  const seen: boolean[][] = [];
  for (let time = 0; time < times; time += 1) {
    const before = server.turns.length;
    const count = route === 'generate' ? 3 : 1;
    const { isAccepted } = await MODEL_ROUTES[route]({ serviceUrl: server.openaiUrl, count });
    expect([route, time, isAccepted]).toEqual([route, time, true]);
    seen.push(server.turns.slice(before).map(isNative));
  }
  return seen;
}

async function leaveIgnored(route: ModelRouteName, times = 2): Promise<void> {
  const right = rightOf(route === 'command' ? 'ensemble' : route);
  const ignoring = (turn: ScriptedTurn): ScriptedReply =>
    isNative(turn) ? reply.text('I would like to help.') : answerBy(turn, right);
  const calls = await nativeCalls(route, ignoring, times);
  expect(calls.map((seen) => seen.filter(Boolean).length)).toEqual([1, 0].slice(0, times));
}

async function learn(route: ModelRouteName): Promise<void> {
  await leaveIgnored(route);
  let asked = 0;
  const cutting = (turn: ScriptedTurn): ScriptedReply => {
    asked += 1;
    return asked === 1 ? reply.text('I would', { finishReason: 'length' }) : answerBy(turn, rightOf(route));
  };
  const [first, next] = await nativeCalls(route, cutting, 2);
  // An ensemble reads a cut reply by its next rung.
  expect([first?.[0], first?.length, next]).toEqual([true, 2, [true]]);
}

function answerBy({ tools }: ScriptedTurn, right: string): ScriptedReply {
  return tools.length > 0
    ? reply.toolText('submit_structured_output', `{"output":${right}}`)
    : reply.text(right);
}

declareGuarantee('F6', {
  generate: () => learn('generate'),
  ensemble: () => learn('ensemble'),
  chat: () => learn('chat'),
  wire: () => learn('wire'),
  command: () => leaveIgnored('command', 1),
});
