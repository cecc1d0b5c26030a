/** Tests of A4: two submissions in one reply. */
import { expect } from 'vitest';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { play } from './played-reply.ts';
import type { ModelRouteName } from './routes/model-routes.ts';

async function refuseSeveral(route: ModelRouteName): Promise<void> {
  const submit = (answer: number): MessageReply => reply.tool(FINALIZER_NAME, { output: { answer } });
  expect((await play(route, reply.steps([submit(41), submit(42)])))[0]).toBe(false);
}

declareGuarantee('A4', {
  generate: () => refuseSeveral('generate'),
  chat: () => refuseSeveral('chat'),
  wire: () => refuseSeveral('wire'),
});
