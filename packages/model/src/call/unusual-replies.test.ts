/** Replies that a provider's package rejects: streams without an end, calls without arguments. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { createGoogle } from '@ai-sdk/google';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import {
  bytes,
  callsTool,
  choice,
  RIGHT,
  rawServer,
  status,
  stream,
  type Respond,
} from '../test-misbehaviour.ts';
import type { GenerateMode } from './generate-options.ts';

const output = Output.object({ schema: z.object({ moons: z.number(), planet: z.string() }) });
const VALUE = { moons: 2, planet: 'Mars' };
const NAME = 'submit_structured_output';

/** The value and the number of requests, or the error and their number. */
async function ask(
  replies: readonly Respond[],
  mode: GenerateMode = 'native',
): Promise<readonly [unknown, number]> {
  await using server = await rawServer(replies);
  const model = openAICompatible({ baseURL: server.url, model: 'm' });
  try {
    const { output: value } = await generate({ model, prompt: 'How many moons has Mars?', output, mode });
    return [value, server.requests()];
  } catch (error) {
    return [error, server.requests()];
  }
}

const piecesOf = (content: string): string[] =>
  [content.slice(0, 9), content.slice(9)].map(
    (piece) => `data: ${JSON.stringify(choice({ content: piece }))}\n\n`,
  );

describe('a stream without `finish_reason` and `[DONE]`', () => {
  it('is complete with a complete value', async () => {
    expect(await ask([bytes(piecesOf(`${RIGHT}\n`))])).toEqual([VALUE, 1]);
  });

  it('is complete with the complete arguments of a call', async () => {
    const call = (input: string, id?: string): object =>
      choice({
        tool_calls: [
          { index: 0, id, type: 'function', function: { ...(id && { name: NAME }), arguments: input } },
        ],
      });
    const chunks = [call('{"output":', 'c1'), call(`${RIGHT}}`)];
    const respond = bytes(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`));
    expect(await ask([respond], 'tool')).toEqual([VALUE, 1]);
  });

  it.each(['{"moons":2,"planet":"Ma', '2'])('is cut after %j', async (content) => {
    const [error, requests] = await ask([bytes(piecesOf(content))]);
    expect(error).toMatchObject({ code: 'stream', receivedText: content });
    expect(String(error)).toContain('without a `finish_reason`');
    expect(requests).toBe(3);
  });
});

describe('a tool call', () => {
  const whole = (made: object): Respond => {
    const call = { id: 'c1', type: 'function', function: { name: NAME, ...made } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    return status(200, JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
  };
  const noStream = status(400, '{"error":{"message":"stream is not supported"}}');

  it('without arguments is corrected like an empty one', async () => {
    const right = callsTool(NAME, `{"output":${RIGHT}}`);
    expect(await ask([whole({}), right], 'tool')).toEqual([VALUE, 2]);
    const [error] = await ask([noStream, whole({})], 'tool');
    expect(error).toMatchObject({ code: 'schema-mismatch' });
    expect(await ask([noStream, whole({}), whole({ arguments: `{"output":${RIGHT}}` })], 'tool')).toEqual([
      VALUE,
      3,
    ]);
  });

  it('can have its arguments as JSON', async () => {
    const made = { name: NAME, arguments: { output: VALUE } };
    const call = { index: 0, id: 'c1', type: 'function', function: made };
    expect(await ask([whole(made)], 'tool')).toEqual([VALUE, 1]);
    expect(await ask([noStream, whole(made)], 'tool')).toEqual([VALUE, 2]);
    expect(await ask([stream([choice({ tool_calls: [call] }), choice({}, 'tool_calls')])], 'tool')).toEqual([
      VALUE,
      1,
    ]);
  });
});

it.each([undefined, 5_000])(
  "keeps the text and usage of a reply that the provider's package rejects, and does not ask again: %s",
  async (idleMs) => {
    const body = JSON.stringify({
      candidates: [{ content: { role: 'model', parts: [{ text: RIGHT }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 5,
        candidatesTokenCount: 7,
        promptTokensDetails: [{ modality: 'TEXT' }],
      },
    });
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      const isStream = request.url?.includes('stream') === true;
      response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
      response.end(isStream ? `data: ${body}\n\n` : body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new TypeError('not listening');
    const baseURL = `http://127.0.0.1:${address.port}/v1beta`;
    const model = createGoogle({ baseURL, apiKey: 'test' })('gemini-2.5-flash');
    const asked = { model, prompt: 'x', output, ...(idleMs !== undefined && { timeouts: { idleMs } }) };
    const error: unknown = await generate(asked).catch((reason: unknown) => reason);
    server.closeAllConnections();
    server.close();
    expect(ModelError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'http',
      receivedText: RIGHT,
      usage: { inputTokens: 5, outputTokens: 7 },
    });
    expect(String(error)).toMatch(/could not read the service's reply.+tokenCount/su);
    expect(requests).toBe(1);
  },
);
