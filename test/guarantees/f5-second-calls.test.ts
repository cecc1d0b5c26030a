/** Tests of F5: what goes back to the model after a cut reply, and after values that break the schema. */
import { expect } from 'vitest';
import { scriptedModelServer } from '../../packages/model/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../packages/model/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { rightOf } from './played-reply.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

/** Plays replies, and returns for each request which of the marks it contains. */
async function marksSent(
  route: ModelRouteName,
  replies: readonly ScriptedReply[],
  marks: readonly string[],
): Promise<readonly (readonly string[])[]> {
  await using server = await scriptedModelServer({ script: replies });
  // Only `generate()` takes its number of attempts. On the other routes, `count` is that of questions.
  const count = route === 'generate' ? replies.length : 1;
  const { isAccepted } = await MODEL_ROUTES[route]({ serviceUrl: server.openaiUrl, count });
  expect([route, isAccepted]).toEqual([route, true]);
  return server.turns.map(({ body }) => marks.filter((mark) => JSON.stringify(body).includes(mark)));
}

async function askAnewAfterCut(route: ModelRouteName): Promise<void> {
  const cut = reply.text('{"answer":"CUTMARK and on and', { finishReason: 'length' });
  expect(
    await marksSent(route, [cut, reply.text(rightOf(route === 'command' ? 'ensemble' : route))], ['CUTMARK']),
  ).toEqual([[], []]);
}

async function sendBackOnce(route: ModelRouteName): Promise<void> {
  await askAnewAfterCut(route);
  const replies = [
    reply.text('{"answer":"FIRSTMARK"}'),
    reply.text('{"answer":"SECONDMARK"}'),
    reply.text(rightOf(route)),
  ];
  expect(await marksSent(route, replies, ['FIRSTMARK', 'SECONDMARK'])).toEqual([[], ['FIRSTMARK'], []]);
}

declareGuarantee('F5', {
  generate: () => sendBackOnce('generate'),
  chat: () => sendBackOnce('chat'),
  wire: () => sendBackOnce('wire'),
  ensemble: () => askAnewAfterCut('ensemble'),
  command: () => askAnewAfterCut('command'),
});
