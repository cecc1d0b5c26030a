/** Tests of A1: parts and drafts of broken answers, and the schema. */
import { expect } from 'vitest';
import { reply } from '../../packages/model/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { play, rightOf } from './played-reply.ts';
import type { ModelRouteName } from './routes/model-routes.ts';

async function refuseParts(route: ModelRouteName): Promise<void> {
  const right = rightOf(route);
  const broken = right.replace(':', '');
  const schema = '{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"]}';
  for (const said of [`{"step" 1,"best":${right}}`, `${right}\nNo, better:\n${broken}`, schema])
    expect((await play(route, reply.text(said)))[0], said).toBe(false);
}

declareGuarantee('A1', {
  generate: () => refuseParts('generate'),
  ensemble: () => refuseParts('ensemble'),
  chat: () => refuseParts('chat'),
  wire: () => refuseParts('wire'),
});
