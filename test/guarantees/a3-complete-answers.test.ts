/** Tests of A3: complete answers at the output limit, and withheld ones. */
import { expect } from 'vitest';
import { reply } from '../../packages/model/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { play, rightOf } from './played-reply.ts';
import type { ModelRouteName } from './routes/model-routes.ts';

async function acceptComplete(route: ModelRouteName): Promise<void> {
  const right = rightOf(route);
  const white = `${right}${'\n  '.repeat(40)}`;
  expect(await play(route, reply.text(white, { finishReason: 'length' }))).toEqual([true, 1]);
  expect((await play(route, reply.text(right, { finishReason: 'refusal' })))[0]).toBe(false);
}

declareGuarantee('A3', {
  generate: () => acceptComplete('generate'),
  ensemble: () => acceptComplete('ensemble'),
  chat: () => acceptComplete('chat'),
  wire: () => acceptComplete('wire'),
});
