import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';

const WITHHELD = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: '{"a":1}' }, finish_reason: 'content_filter' },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};

it('reads no answer from a reply that its service withheld', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(WITHHELD));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const model = openAICompatible({ baseURL: `http://127.0.0.1:${port}/v1`, model: 'm' });
  const asking = generate({ model, prompt: 'x', output: Output.json({}), mode: 'json', maxCorrections: 1 });
  await expect(asking).rejects.toMatchObject({
    code: 'not-produced',
    message: expect.stringContaining('refusal'),
    attempts: [{ code: 'not-produced' }, { code: 'not-produced' }],
    usage: { inputTokens: 6, outputTokens: 2 },
  });
  server.close();
});
