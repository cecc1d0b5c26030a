/** Tests of `elements` of a client with a real server, whose turns call a scripted model through a real provider. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import {
  reply,
  type ReplyOptions,
  type ScriptedReply,
} from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { clientServer, type ClientServer } from './client-server.ts';

/** Slower than the server joins pieces. */
const SLOW: ReplyOptions = { chunkChars: 9, chunkDelayMs: 20 };
const submit = (list: readonly unknown[], options = SLOW): ReturnType<typeof reply.toolText> =>
  reply.toolText(FINALIZER_NAME, JSON.stringify({ output: { value: list } }), options);

interface Counted {
  readonly output: ReturnType<typeof Output.array<z.ZodType<{ id: number; note?: string | undefined }>>>;
  readonly validated: unknown[];
}

function counted(): Counted {
  const validated: unknown[] = [];
  const element = z.object({ id: z.number(), note: z.string().optional() }).transform((value) => {
    validated.push(value);
    return value;
  });
  return { output: Output.array({ element }), validated };
}

/** A server whose model replies once the client follows the chat, and the listener that notices this. */
async function startServer(
  replies: readonly ScriptedReply[],
): Promise<{ readonly server: ClientServer; readonly onEvent: () => void }> {
  const followed = Promise.withResolvers<void>();
  let next = 0;
  const server = await clientServer(async () => {
    await followed.promise;
    next += 1;
    return replies[next - 1] ?? reply.text('no');
  });
  return { server, onEvent: () => followed.resolve() };
}

async function readAll<TElement>(
  elements: AsyncIterable<TElement>,
): Promise<{ readonly seen: TElement[]; readonly error: unknown }> {
  const seen: TElement[] = [];
  try {
    for await (const element of elements) seen.push(element);
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

const ids = Array.from({ length: 12 }, (_, id) => ({ id }));

it('gives each element while the model writes the next, and validates it once', async () => {
  const { server, onEvent } = await startServer([submit(ids)]);
  await using _server = server;
  const { output, validated } = counted();
  const answer = server.client.chat().ask({ prompt: 'Which?', output, onEvent });
  let early = 0;
  const seen: unknown[] = [];
  void answer.then(() => (early = seen.length));
  for await (const element of answer.elements) seen.push(element);
  const result = await answer;
  expect(seen).toEqual(ids);
  expect(early).toBeGreaterThan(0);
  expect(validated).toHaveLength(ids.length);
  for (const [index, each] of result.output.entries()) expect(each).toBe(seen[index]);
});

it('continues with the correction, and does not repeat what is equal', async () => {
  const { server, onEvent } = await startServer([submit([{ id: 1 }, { id: 'two' }, { id: 3 }]), submit(ids)]);
  await using _server = server;
  const { output } = counted();
  const wrong = server.client.chat().ask({ prompt: 'Which?', output, onEvent });
  const { seen, error } = await readAll(wrong.elements);
  // The corrected list begins with another element.
  expect(seen).toEqual([{ id: 1 }]);
  expect(error).toMatchObject({ name: 'StructuredOutputError', code: 'restarted' });
  expect((await wrong).output).toEqual(ids);
  const other = await startServer([submit([{ id: 0 }, { id: 'two' }, { id: 3 }]), submit(ids)]);
  await using _other = other.server;
  const right = counted();
  const answer = other.server.client
    .chat()
    .ask({ prompt: 'Which?', output: right.output, onEvent: other.onEvent });
  expect(await readAll(answer.elements)).toEqual({ seen: ids, error: undefined });
  expect(right.validated).toHaveLength(ids.length);
});

it('gives all elements at the end to a loop that begins late, and ends with the error of the promise', async () => {
  await using server = await clientServer([submit(ids), reply.text('no'), reply.text('no')]);
  const { output } = counted();
  const chat = server.client.chat();
  const done = chat.ask({ prompt: 'Which?', output });
  await done;
  expect((await readAll(done.elements)).seen).toEqual(ids);
  const failing = chat.ask({ prompt: 'And?', output, limits: { text_only: 2 } });
  const { error } = await readAll(failing.elements);
  expect(error).toMatchObject({ name: 'RequestEndedError' });
  await expect(failing).rejects.toBe(error);
});

it('stops waiting when the loop is left, and the turn continues', async () => {
  await using server = await clientServer([submit(ids)]);
  const chat = server.client.chat();
  const answer = chat.ask({ prompt: 'Which?', output: counted().output });
  for await (const _element of answer.elements) break;
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  for await (const { event } of chat.events()) {
    if (event.type === 'receipt' && event.receipt.status === 'succeeded') break;
  }
});

it('refuses another output in the loop, and a wrong argument in both', async () => {
  await using server = await clientServer([reply.toolText(FINALIZER_NAME, '{"output":{"list":[1]}}')]);
  const chat = server.client.chat();
  const output = Output.object({ schema: z.object({ list: z.array(z.number()) }) });
  const answer = chat.ask({ prompt: 'Which?', output });
  expect((await readAll(answer.elements)).error).toMatchObject({ name: 'UsageError', code: 'unsupported' });
  expect((await answer).output).toEqual({ list: [1] });
  const wrong = chat.ask(5 as never);
  await expect(wrong).rejects.toMatchObject({ name: 'UsageError' });
  expect((await readAll(wrong.elements)).error).toMatchObject({ name: 'UsageError' });
});
