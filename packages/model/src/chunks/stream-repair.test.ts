/** Servers that stream differently: whole replies, no reason of the end, no streams at all. */
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import type { GenerateOptions } from '../call/generate-options.ts';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { withFinishReason } from './stream-repair.ts';

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const ANSWER = '{"moons":2}';

/** Asks a server that answers each request with `respond`. Returns the requests' `stream`. */
async function ask(
  respond: (response: ServerResponse, isStreamed: boolean) => void,
  options: Partial<GenerateOptions<typeof output>> = {},
): Promise<readonly unknown[]> {
  const streamed: unknown[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((pieces: Buffer[]) => {
      const body = JSON.parse(Buffer.concat(pieces).toString()) as { stream?: boolean };
      streamed.push(body.stream ?? false);
      respond(response, body.stream === true);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('not listening');
  try {
    const model = openAICompatible({ baseURL: `http://127.0.0.1:${address.port}/v1`, model: 'm' });
    for (const _call of [1, 2]) {
      const { output: value } = await generate({ model, prompt: 'x', output, maxCorrections: 0, ...options });
      expect(value).toEqual({ moons: 2 });
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return streamed;
}

function whole(message: object): string {
  return JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }] });
}

const json = (response: ServerResponse, message: object, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(whole(message));
};

it('reads a whole reply to a request for a stream', async () => {
  const message = { role: 'assistant', content: ANSWER };
  expect(await ask((response) => json(response, message))).toEqual([true, true]);
});

it('reads a whole reply with a tool call', async () => {
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'submit_structured_output', arguments: `{"output":${ANSWER}}` },
  };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  expect(await ask((response) => json(response, message), { mode: 'tool' })).toEqual([true, true]);
});

it.each(['\n', '\r\n'])('accepts a stream that ends without a reason: %j', async (line) => {
  const pieces = ['{"moons"', ':2}'].map((content) => JSON.stringify({ choices: [{ delta: { content } }] }));
  const events = [...pieces, '[DONE]'].map((data) => `data: ${data}${line}${line}`).join('');
  const respond = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
  };
  expect(await ask(respond)).toEqual([true, true]);
});

it('asks for a whole reply if the server refuses to stream, and remembers it', async () => {
  const refusal = { error: { message: 'stream is not supported' } };
  const respond = (response: ServerResponse, isStreamed: boolean): void => {
    if (!isStreamed) json(response, { role: 'assistant', content: ANSWER });
    else response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
  };
  expect(await ask(respond)).toEqual([true, false, false]);
});

it('ends a request to a server that stays silent', async () => {
  const silent = ask(() => undefined, { timeouts: { idleMs: 200 } });
  await expect(silent).rejects.toMatchObject({ code: 'timeout', message: /nothing for 200 ms/u });
});

it('a stream arrives in as many pieces as it was sent, also if a character is cut', async () => {
  const event = (content: string): string => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`;
  const text = `${Array.from({ length: 50 }, (_, index) => event(`ö ${index}`)).join('')}data: [DONE]\n\n`;
  const bytes = new TextEncoder().encode(text);
  // Inside of the first character.
  const cutAt = new TextEncoder().encode(text.slice(0, text.indexOf('ö'))).length + 1;
  const sent = [bytes.slice(0, cutAt), bytes.slice(cutAt)];
  const { body }: { readonly body: AsyncIterable<Uint8Array> | null } = withFinishReason(
    ReadableStream.from(sent),
  );
  const received: Uint8Array[] = [];
  for await (const piece of body ?? []) received.push(piece);
  // The first piece has no complete line.
  expect(received).toHaveLength(1);
  const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
  expect(Buffer.concat(received).toString()).toBe(text.replace('data: [DONE]', `${finish}data: [DONE]`));
});
