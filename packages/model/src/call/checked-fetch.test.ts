import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const HTML = '<!doctype html><html><body>Hello</body></html>';
const ENDPOINT = '{"error":"Unexpected endpoint or method. (POST /chat/completions)"}';
const EMPTY = '{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[]}';
const QUOTA =
  '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}';

const CASES = [
  ['a web page', 200, 'text/html', HTML, { code: 'http', requests: 1, says: /Hello.*ends with `\/v1`/u }],
  [
    'an unknown endpoint',
    200,
    'application/json',
    ENDPOINT,
    { code: 'http', requests: 1, says: /Unexpected endpoint/u },
  ],
  ['no choice', 200, 'application/json', EMPTY, { code: 'stream', requests: 3, says: /without an answer/u }],
  [
    'an empty account',
    429,
    'application/json',
    QUOTA,
    { code: 'rate-limit', requests: 1, says: /Add credit/u },
  ],
] as const;

it.each(CASES.flatMap((each) => [{}, { onPartial: () => undefined }].map((way) => [...each, way] as const)))(
  'names the cause: %s',
  async (_name, status, type, body, { code, requests, says }, way) => {
    let received = 0;
    const server = createServer((_request, response) => {
      received += 1;
      response.writeHead(status, { 'content-type': type, 'retry-after': '0' }).end(body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new TypeError('not listening');
    const model = openAICompatible({ baseURL: `http://127.0.0.1:${address.port}`, model: 'm' });
    const asking = generate({ model, prompt: 'How many?', output, ...way });
    await expect(asking).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
    expect(received).toBe(requests);
    server.close();
  },
);
