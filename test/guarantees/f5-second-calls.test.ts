/** Tests of F5: what goes back to a model of a reply that is no answer. */
import { expect } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { declareGuarantee } from './guarantee.ts';
import { rightOf } from './played-reply.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

const SEED = 7;

/** Plays the replies in order, and then the right answer. */
async function playInOrder(
  route: ModelRouteName,
  replies: readonly MessageReply[],
): Promise<readonly ScriptedTurn[]> {
  const right = reply.text(rightOf(route === 'command' ? 'ensemble' : route));
  await using engine = await scriptedModelServer({
    localServer: 'llama.cpp',
    script: ({ turnIndex }) => replies[turnIndex] ?? right,
  });
  const { isAccepted, output } = await MODEL_ROUTES[route]({
    serviceUrl: engine.openaiUrl,
    maxCorrections: 2,
    seed: SEED,
  });
  expect(isAccepted, output).toBe(true);
  return engine.turns;
}

const messagesOf = ({ messages }: ScriptedTurn): string => JSON.stringify(messages);
/** All texts of the last message. */
const questionOf = ({ messages }: ScriptedTurn): string =>
  (messages.at(-1)?.parts ?? []).map((part) => (part.type === 'text' ? part.text : part.type)).join('');
/** How a schema is told in words. */
const TYPE = 'of this type, with no other keys:\n{';
const seedOf = ({ body }: ScriptedTurn): unknown => (body as { readonly seed?: number }).seed;

/** Sends nothing of a reply that was cut, and a wrong value once. */
async function differ(route: ModelRouteName, wrong: string): Promise<void> {
  const isSeeded = route === 'generate' || route === 'wire';
  const cut = await playInOrder(route, [reply.text('{"answer": "I am glad', { finishReason: 'length' })]);
  expect(cut).toHaveLength(2);
  expect(new Set(cut.map(messagesOf)).size).toBe(1);
  if (isSeeded) expect(cut.map(seedOf)).toEqual([SEED, SEED + 1]);

  const told = await playInOrder(route, [reply.text(wrong), reply.text(wrong)]);
  const [, second, third] = told.map(messagesOf);
  expect(told).toHaveLength(3);
  expect(second).toContain('a lot');
  expect(third).not.toContain('a lot');
  // The same question, with the schema in words because the value was corrected in vain.
  const [asked = '', , anew = ''] = told.map(questionOf);
  expect(anew.startsWith(asked)).toBe(true);
  expect([asked, anew].map((text) => text.includes(TYPE))).toEqual([false, true]);
  if (isSeeded) expect(told.map(seedOf)).toEqual([SEED, SEED, SEED + 1]);
}

const WRONG = '{"answer":"a lot"}';
const WRONG_EVENT = '{"kind":"agent.spoke","text":{"how":"a lot"}}';

declareGuarantee('F5', {
  generate: () => differ('generate', WRONG),
  ensemble: () => differ('ensemble', WRONG_EVENT),
  chat: () => differ('chat', WRONG),
  wire: () => differ('wire', WRONG),
  command: () => differ('command', WRONG_EVENT),
});
