/** Replies of a model on the routes that judge them: the first one as given, the others withheld. */
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

/** The right answer of each route. A speaker of an ensemble answers with an event. */
const RIGHT: Readonly<Partial<Record<ModelRouteName, string>>> = {
  ensemble: '{"kind":"agent.spoke","text":"Forty-two gulls sit on the pier."}',
};
/** The right answer of the other routes. */
export const ANSWER = '{"answer":42}';
const WITHHELD = reply.text('', { finishReason: 'refusal' });

/** Returns the right answer of a route. */
export function rightOf(route: ModelRouteName): string {
  return RIGHT[route] ?? ANSWER;
}

/** Plays a reply, and then refusals. Returns whether an answer was accepted, and the number of calls. */
export async function play(route: ModelRouteName, first: MessageReply): Promise<readonly [boolean, number]> {
  let calls = 0;
  await using server = await scriptedModelServer({
    script: () => {
      calls += 1;
      return calls === 1 ? first : WITHHELD;
    },
  });
  const { isAccepted } = await MODEL_ROUTES[route]({ serviceUrl: server.openaiUrl });
  return [isAccepted, calls];
}
