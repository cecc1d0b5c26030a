/** Tests of F11: an engine that refuses its first requests, because it loads its model. */
import { expect } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { rightOf } from './played-reply.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

const LOADING = reply.error(503, { message: 'Loading model', code: 'unavailable_error' });

async function wait(route: ModelRouteName): Promise<void> {
  const right = reply.text(rightOf(route === 'command' ? 'ensemble' : route));
  await using server = await scriptedModelServer({ script: [LOADING, LOADING, LOADING, right] });
  // One attempt is enough.
  const { isAccepted } = await MODEL_ROUTES[route]({ serviceUrl: server.openaiUrl, count: 1 });
  expect([isAccepted, server.turns.length]).toEqual([true, 4]);
}

declareGuarantee('F11', {
  generate: () => wait('generate'),
  ensemble: () => wait('ensemble'),
  chat: () => wait('chat'),
  wire: () => wait('wire'),
  command: () => wait('command'),
});
