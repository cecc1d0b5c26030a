/** Replies that are gathered, and those that are handed over: the same answer, in one request. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import type { GenerateMode } from './generate-options.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import {
  bytes,
  callsTool,
  choice,
  dropped,
  RIGHT,
  rawServer,
  status,
  stream,
  text,
  type Respond,
} from '../test-misbehaviour.ts';

const output = Output.object({ schema: z.object({ moons: z.number(), planet: z.string() }) });
const VALUE = { moons: 2, planet: 'Mars' };
const HALVES = [RIGHT.slice(0, 9), RIGHT.slice(9)];

const whole = (message: object, reason = 'stop'): Respond => {
  const choices = [{ index: 0, message, finish_reason: reason }];
  return status(200, JSON.stringify({ id: 'x', created: 1, model: 'm', choices, usage: USAGE }));
};
const USAGE = { prompt_tokens: 30, completion_tokens: 6, total_tokens: 36 };
const call = (input: string, id = 'c1'): object => ({
  id,
  type: 'function',
  function: { name: FINALIZER_NAME, arguments: input },
});
const events = (chunks: readonly object[], lineEnd = '\n\n'): readonly string[] =>
  [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}${lineEnd}`);
const ANSWER = [...HALVES.map((content) => choice({ content })), choice({}, 'stop')];

/** Counts the stages through which the bytes of a reply pass. */
async function stagesOf<T>(work: () => Promise<T>): Promise<{ readonly stages: number; readonly result: T }> {
  const piped = vi.spyOn(ReadableStream.prototype, 'pipeThrough');
  try {
    const result = await work();
    return { stages: piped.mock.calls.length, result };
  } finally {
    piped.mockRestore();
  }
}

const ORDINARY: Readonly<Record<string, Respond>> = {
  'a stream': stream(ANSWER),
  'a stream with usage at its end': stream([...ANSWER, { ...choice({}), choices: [], usage: USAGE }]),
  'a stream with reasoning': stream([choice({ reasoning_content: 'Let me see.' }), ...ANSWER]),
  'a stream with comments': bytes([': ping\n\n', ...events(ANSWER)]),
  'a stream with other line ends': bytes(events(ANSWER, '\r\n\r\n')),
  'a stream without an end mark': bytes(events(ANSWER).slice(0, -1)),
  'a stream in single bytes': bytes([...Buffer.from(events(ANSWER).join(''))].map((each) => Buffer.of(each))),
  'a whole reply': whole({ role: 'assistant', content: RIGHT }),
};

it.each(Object.entries(ORDINARY))('reads %s without a stage of a stream', async (_name, respond) => {
  await using server = await rawServer([respond]);
  const model = openAICompatible({ baseURL: server.url, model: 'm' });
  const asked = { model, prompt: 'x', output, mode: 'native' } as const;
  await generate(asked); // The first call loads packages.
  const { stages, result } = await stagesOf(() => generate(asked));
  expect([result.output, stages, server.requests()]).toEqual([VALUE, 0, 2]);
});

const SAME: Readonly<Record<string, readonly [GenerateMode, Respond]>> = {
  ...Object.fromEntries(Object.entries(ORDINARY).map(([name, respond]) => [name, ['native', respond]])),
  'a call': ['tool', callsTool(FINALIZER_NAME, `{"output":${RIGHT}}`)],
  'a whole reply with a call': ['tool', whole({ content: null, tool_calls: [call(`{"output":${RIGHT}}`)] })],
  'a call after reasoning in its text': ['tool', callsTool(FINALIZER_NAME, `{"output":${RIGHT}}`, 'So.')],
  'arguments that are no JSON': ['tool', callsTool(FINALIZER_NAME, '{"output":')],
  'two calls': ['tool', whole({ content: null, tool_calls: [call('{}'), call(RIGHT, 'c2')] })],
  'another role': ['native', whole({ role: 'user', content: RIGHT })],
  'a list of parts': ['native', whole({ content: [{ type: 'text', text: RIGHT }] })],
  'a refusal': ['native', whole({ content: null, refusal: 'No.' }, 'content_filter')],
  'a reply that was cut': ['native', text(RIGHT.slice(0, 9), 'length')],
  'an unfinished stream': ['native', bytes(events(ANSWER.slice(0, 1)).slice(0, 1))],
  'a broken connection': ['native', dropped(events(ANSWER).slice(0, 2))],
  'an error in the stream': ['native', stream([ANSWER[0]!, { error: { message: 'Out of memory.' } }])],
  'an error beside a choice': [
    'native',
    stream([...ANSWER.slice(0, 2), { ...choice({}, 'stop'), error: { message: 'Out of memory.' } }]),
  ],
  'text in two lines of one event': ['native', bytes(events(ANSWER, '\n'))],
  'reasoning between text': [
    'native',
    stream([ANSWER[0]!, choice({ reasoning_content: 'Hm.' }), ...ANSWER.slice(1)]),
  ],
  'usage of another type': ['native', stream([...ANSWER, { ...choice({}), choices: [], usage: 'many' }])],
  'a status of refusal': ['native', status(400, '{"error":{"message":"Bad schema."}}')],
  'an empty text': ['native', whole({ content: '' })],
  'a runaway': ['native', text(`{"moons":${' '.repeat(3_000)}`)],
};

it.each(Object.entries(SAME))(
  'tells the same of %s as where it is listened to',
  async (_name, [mode, respond]) => {
    const told = await Promise.all(
      [{}, { onPartial: () => undefined }].map(async (way) => {
        await using server = await rawServer([respond]);
        const model = openAICompatible({ baseURL: server.url, model: 'm' });
        const asked = generate({ model, prompt: 'x', output, mode, maxCorrections: 0, ...way });
        const result = await asked.then(
          ({ output: value, usage, provenance }) => ({ value, usage, attempts: provenance.attempts }),
          (error: unknown) => describe(error),
        );
        return { result, requests: server.requests() };
      }),
    );
    expect(told[0]).toEqual(told[1]);
  },
);

function describe(error: unknown): object {
  if (!(error instanceof Error)) return {};
  const told = ['code', 'receivedText', 'usage', 'attempts'].map(
    (name) => Reflect.get(error, name) as unknown,
  );
  return { name: error.name, message: error.message, told };
}

it('sends the same bytes as where the reply is listened to', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((pieces: Buffer[]) => {
      bodies.push(Buffer.concat(pieces).toString());
      stream(ANSWER)(response, undefined);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const model = openAICompatible({ baseURL: `http://127.0.0.1:${port}/v1`, model: 'm', body: { top_k: 1 } });
  await generate({ model, prompt: 'x', output, temperature: 0 });
  await generate({ model, prompt: 'x', output, temperature: 0, onPartial: () => undefined });
  expect(bodies[0]).toContain('"stream":true');
  expect(bodies[0]).toBe(bodies[1]);
  server.close();
});

it('hands a reply over that is larger than what is kept, in one request', async () => {
  const plan = 'Ein Maß für große Pläne. '.repeat(60_000);
  const long = Output.object({ schema: z.object({ plan: z.string() }) });
  await using server = await rawServer([text(JSON.stringify({ plan }), 'stop', 20_000)]);
  const model = openAICompatible({ baseURL: server.url, model: 'm' });
  const asked = () => generate({ model, prompt: 'x', output: long, mode: 'native', endRunaways: false });
  const { stages, result } = await stagesOf(asked);
  expect(result.output.plan).toBe(plan);
  expect(stages).toBeGreaterThan(0);
  expect(server.requests()).toBe(1);
});
