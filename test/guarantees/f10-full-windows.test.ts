/** Tests of F10: questions that do not fit into the window of a local engine. */
import { expect } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { rightOf } from './played-reply.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

/** Tokens. The question of each route is longer. */
const WINDOW = 20;

async function nameIt(route: ModelRouteName): Promise<void> {
  await using server = await scriptedModelServer({
    localServer: 'llama-cpp-python',
    contextTokens: WINDOW,
    script: () => reply.text(rightOf(route)),
  });
  const { isAccepted, message, output, code } = await MODEL_ROUTES[route]({ serviceUrl: server.openaiUrl });
  expect(isAccepted).toBe(false);
  const told = `${message}\n${output}`;
  expect(told).toMatch(/context|window/iu);
  expect(told).toContain(String(WINDOW));
  if (route === 'generate') expect(code).toBe('context-full');
}

declareGuarantee('F10', {
  generate: () => nameIt('generate'),
  ensemble: () => nameIt('ensemble'),
  chat: () => nameIt('chat'),
  wire: () => nameIt('wire'),
  command: () => nameIt('command'),
});
