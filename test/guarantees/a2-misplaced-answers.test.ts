/** Tests of A2: valid answers as text, in a fence and as reasoning. */
import { expect } from 'vitest';
import { reply } from '../../packages/model/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { ANSWER, play } from './played-reply.ts';
import type { ModelRouteName } from './routes/model-routes.ts';

async function acceptElsewhere(route: ModelRouteName): Promise<void> {
  const fence = `\`\`\`json\n${ANSWER}\n\`\`\``;
  for (const first of [reply.text(ANSWER), reply.text(fence), reply.thinking(ANSWER)])
    expect(await play(route, first)).toEqual([true, 1]);
}

declareGuarantee('A2', {
  generate: () => acceptElsewhere('generate'),
  chat: () => acceptElsewhere('chat'),
  wire: () => acceptElsewhere('wire'),
});
