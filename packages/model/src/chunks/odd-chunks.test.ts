/** Streams with events that are not chunks: a complete answer is not lost, in one request. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { bytes, choice, RIGHT, rawServer } from '../test-misbehaviour.ts';

const output = Output.object({ schema: z.object({ moons: z.number(), planet: z.string() }) });
const VALUE = { moons: 2, planet: 'Mars' };

const USAGE = { prompt_tokens: 30, completion_tokens: 6, total_tokens: 36 };
const ODD: Readonly<Record<string, string>> = {
  null: 'data: null',
  'an empty object': 'data: {}',
  'an empty text': 'data: ""',
  'a number': 'data: 1',
  'a list': 'data: []',
  'an empty line of data': 'data:',
  'an empty line of data with a space': 'data: ',
  'a ping without choices': 'data: {"type":"ping"}',
  'no choices, with usage': `data: ${JSON.stringify({ choices: null, usage: USAGE })}`,
  'choices that are missing, with usage': `data: ${JSON.stringify({ id: 'x', usage: USAGE })}`,
  'choices that are null': 'data: {"id":"x","choices":null}',
  'a time as text': 'data: {"id":"x","created":"2026-01-01","choices":[]}',
  'a time as a fraction': 'data: {"id":"x","created":1.5,"choices":[]}',
  'a number as id': 'data: {"id":7,"created":1,"choices":[]}',
  'an object as model': 'data: {"id":"x","model":{"name":"m"},"choices":[]}',
};

const [first = '', second = ''] = [RIGHT.slice(0, 9), RIGHT.slice(9)].map(
  (content) => `data: ${JSON.stringify(choice({ content }))}`,
);
const END = `data: ${JSON.stringify(choice({}, 'stop'))}`;

const PLACES: Readonly<Record<string, (odd: string) => readonly string[]>> = {
  first: (odd) => [odd, first, second, END, 'data: [DONE]'],
  between: (odd) => [first, odd, second, END, 'data: [DONE]'],
  last: (odd) => [first, second, END, odd, 'data: [DONE]'],
  'after the end': (odd) => [first, second, END, 'data: [DONE]', odd],
};

const CASES = Object.keys(ODD).flatMap((odd) => Object.keys(PLACES).map((place) => [odd, place] as const));

it.each(CASES)('drops %s, %s', async (odd, place) => {
  for (const lineEnd of ['\n\n', '\r\n\r\n']) {
    const events = PLACES[place]!(ODD[odd]!).map((event) => `${event}${lineEnd}`);
    await using server = await rawServer([bytes(events)]);
    const model = openAICompatible({ baseURL: server.url, model: 'm' });
    const { output: value, usage } = await generate({ model, prompt: 'x', output, mode: 'native' });
    expect([value, server.requests()]).toEqual([VALUE, 1]);
    if (odd.endsWith('with usage') && place !== 'after the end') {
      expect(usage).toMatchObject({ inputTokens: 30, outputTokens: 6 });
    }
  }
});

it('reads a whole reply with a time as text', async () => {
  const whole = {
    id: 7,
    created: 'now',
    choices: [{ index: 0, message: { role: 'assistant', content: RIGHT }, finish_reason: 'stop' }],
  };
  await using server = await rawServer([
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
    },
  ]);
  const model = openAICompatible({ baseURL: server.url, model: 'm' });
  const { output: value } = await generate({ model, prompt: 'x', output, mode: 'native' });
  expect(value).toEqual(VALUE);
});

it.each([
  [
    '{"error":{"message":"Out of memory."}}',
    { code: 'stream', message: expect.stringMatching(/error: Out of memory\./u) },
  ],
  ['{"message":"Out of memory."}', { code: 'http' }],
  ['{"detail":"Out of memory."}', { code: 'http' }],
])('keeps a failure that the service tells: %s', async (failure, told) => {
  await using server = await rawServer([bytes([`${first}\n\n`, `data: ${failure}\n\n`])]);
  const model = openAICompatible({ baseURL: server.url, model: 'm' });
  const asking = generate({ model, prompt: 'x', output, mode: 'native', maxCorrections: 0 });
  await expect(asking).rejects.toMatchObject({ name: 'ModelError', ...told });
});
