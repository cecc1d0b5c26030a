import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';

const head = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
const delta = { role: 'assistant', content: '{"a":1' };
const CHUNKS = [
  { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
  { ...head, choices: [], usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } },
];

it('treats a stream without an end event as broken, and counts its reported usage', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.setHeader('content-type', 'text/event-stream');
    response.end(CHUNKS.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const model = openAICompatible({ baseURL: `http://127.0.0.1:${port}/v1`, model: 'm' });
  const asking = generate({ model, prompt: 'x', output: Output.json({}), onPartial: () => undefined });
  await expect(asking).rejects.toMatchObject({
    code: 'stream',
    receivedText: '{"a":1',
    attempts: [],
    usage: { inputTokens: 9, outputTokens: 3 },
  });
  expect(asked).toBe(3);
  server.close();
});
