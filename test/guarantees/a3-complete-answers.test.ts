/** Tests of A3: complete answers at the output limit, and withheld ones. */
import { expect } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { ANSWER, play, rightOf } from './played-reply.ts';
import type { ModelRouteName } from './routes/model-routes.ts';
import { say, type AnsweringRoute } from './said-by-agent.ts';

async function acceptComplete(route: ModelRouteName): Promise<void> {
  const right = rightOf(route);
  const white = `${right}${'\n  '.repeat(40)}`;
  expect(await play(route, reply.text(white, { finishReason: 'length' }))).toEqual([true, 1]);
  expect((await play(route, reply.text(right, { finishReason: 'refusal' })))[0]).toBe(false);
}

async function acceptClosed(route: AnsweringRoute): Promise<void> {
  const closed = await say(route, `<result>${ANSWER}\n  \n</result> I will now summ`);
  expect(closed.isAccepted, closed.message).toBe(true);
  const open = await say(route, `<result>${ANSWER}`);
  expect(open.isAccepted).toBe(false);
  expect(open.output).toContain('started and not closed');
  expect((await say(route, 'I cannot help with that.')).isAccepted).toBe(false);
}

declareGuarantee('A3', {
  'run/none': () => acceptClosed('run/none'),
  'run/bubblewrap': () => acceptClosed('run/bubblewrap'),
  'run/podman': () => acceptClosed('run/podman'),
  kept: () => acceptClosed('kept'),
  batch: () => acceptClosed('batch'),
  generate: () => acceptComplete('generate'),
  ensemble: () => acceptComplete('ensemble'),
  chat: () => acceptComplete('chat'),
  wire: () => acceptComplete('wire'),
  runs: inBubblewrap(() => acceptClosed('runs')),
  command: () => acceptClosed('command'),
});
