/** Tests of A9: lists that are right, wrong in one element, and changed or shortened by a correction. */
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import {
  reply,
  type ReplyOptions,
  type ScriptedReply,
} from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { clientServer } from '../client/client-server.ts';
import { declareGuarantee } from './guarantee.ts';

const output = Output.array({ element: z.strictObject({ id: z.number(), name: z.string().min(4) }) });

interface Asked extends Promise<{ readonly output: readonly unknown[] }> {
  readonly elements: AsyncIterable<unknown>;
}

const item = (id: number, name: unknown = `item ${id}`): object => ({ id, name });

/** The lists of a model, each with what the loop gives and how it ends. */
const CASES: readonly (readonly [lists: readonly (readonly object[])[], given: number, end: string])[] = [
  [[[1, 2, 3, 4, 5].map((id) => item(id))], 5, 'ok'],
  [[[item(1), item(2), item(3, 3), item(4)], [1, 2, 3, 4].map((id) => item(id))], 4, 'ok'],
  [
    [
      [item(1), item(2), item(3, 'x'), item(4)],
      [item(1), item(22), item(3)],
    ],
    2,
    'restarted',
  ],
  [
    [
      [item(1), item(2), item(3), item(4, 'x'), item(5)],
      [item(1), item(2)],
    ],
    3,
    'restarted',
  ],
];

async function hold(
  ask: (lists: readonly (readonly object[])[], judge: Judge) => Promise<void>,
): Promise<void> {
  for (const [lists, given, end] of CASES) {
    await ask(lists, async (asked) => {
      const seen: unknown[] = [];
      let ended = 'ok';
      try {
        for await (const element of asked.elements) seen.push(element);
      } catch (error) {
        ended = StructuredOutputError.isInstance(error) ? error.code : String(error);
      }
      const answer = await asked;
      expect(answer.output).toEqual(lists.at(-1));
      expect(ended).toBe(end);
      if (end === 'ok') expect(seen).toEqual(answer.output);
      // What was given before is valid, and of the first list.
      else expect(lists[0]?.slice(0, given)).toEqual(expect.arrayContaining(seen));
      expect(seen.length).toBeLessThanOrEqual(given);
    });
  }
}

type Judge = (asked: Asked) => Promise<void>;

async function byGenerate(lists: readonly (readonly object[])[], judge: Judge): Promise<void> {
  const script = lists.map((list) => reply.text(JSON.stringify({ output: list })));
  await using server = await scriptedModelServer({ script, chunkChars: 3 });
  await judge(
    generate({
      model: openAICompatible({ baseURL: server.openaiUrl, model: 'm' }),
      prompt: 'Which?',
      output,
    }),
  );
}

/** Slower than the server joins pieces. */
const SLOW: ReplyOptions = { chunkChars: 9, chunkDelayMs: 20 };

async function byChat(lists: readonly (readonly object[])[], judge: Judge): Promise<void> {
  const replies = lists.map((list): ScriptedReply =>
    reply.toolText(FINALIZER_NAME, JSON.stringify({ output: { value: list } }), SLOW),
  );
  // The model replies once the client follows the chat.
  const followed = Promise.withResolvers<void>();
  await using server = await clientServer(async () => {
    await followed.promise;
    return replies.shift() ?? reply.text('no');
  });
  const onEvent = (): void => followed.resolve();
  await judge(server.client.chat().ask({ prompt: 'Which?', output, onEvent }));
}

declareGuarantee('A9', {
  generate: () => hold(byGenerate),
  chat: () => hold(byChat),
});
