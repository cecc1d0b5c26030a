import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createClient, type Client } from '@truecast/client/internal/create-client';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { Output } from '@truecast/core/internal/output/output';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import { scriptedModelServer } from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { createChatServer } from './create-chat-server.ts';

const COUNT = Output.object({ schema: z.object({ count: z.number() }) });
const FOUR = reply.tool(FINALIZER_NAME, { output: { count: 4 } });
const TIMEOUT_MS = 60_000;

/** Writes the file and starts a server with it. */
async function serveFile(yaml: string): Promise<Awaited<ReturnType<typeof createChatServer>>> {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-models-file-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const modelsFile = join(folder, 'models.yaml');
  await writeFile(modelsFile, yaml);
  return createChatServer({ environment: {}, port: 0, databaseUrl: ':memory:', modelsFile });
}

async function connect(server: Awaited<ReturnType<typeof createChatServer>>): Promise<Client> {
  const { token } = await server.createToken({ name: 'test' });
  return createClient({ baseURL: server.url, token });
}

const BODY = z.looseObject({ max_tokens: z.number().optional(), temperature: z.number().optional() });

it(
  "sends a model's own limits, none that the file does not set, and puts its cost on the receipt",
  { timeout: TIMEOUT_MS },
  async () => {
    const usage = { inputTokens: 1_000, outputTokens: 100 };
    const four = reply.tool(FINALIZER_NAME, { output: { count: 4 } }, { usage });
    await using model = await scriptedModelServer({ script: () => four, key: 'k-of-the-file' });
    const place = `endpoint: ${model.openaiUrl}, model: scripted, api_key: k-of-the-file`;
    await using server = await serveFile(`endpoints:
  plain: { ${place} }
  small:
    { ${place}, max_tokens: 777, temperature: 0.3,
      prices: { input_usd_per_million: 2, output_usd_per_million: 10 } }
`);
    expect(server.models).toEqual(['plain', 'small']);
    const client = await connect(server);
    const plain = await client.chat().ask({ prompt: 'How many?', output: COUNT });
    const small = await client.chat({ model: 'small' }).ask({ prompt: 'How many?', output: COUNT });
    const bodies = model.requests.filter(({ turn }) => turn !== undefined);
    const [first, second] = bodies.map(({ body }) => BODY.parse(JSON.parse(body)));
    expect([first?.max_tokens, first?.temperature]).toEqual([undefined, undefined]);
    expect([second?.max_tokens, second?.temperature]).toEqual([777, 0.3]);
    expect(plain.receipt.usage?.cost_usd).toBeUndefined();
    expect(small.receipt.usage?.cost_usd).toBeCloseTo(0.003, 12);
  },
);

it(
  'answers with a fallback while a service fails, and starts with the chosen model again later',
  { timeout: TIMEOUT_MS },
  async () => {
    let isDown = true;
    await using main = await scriptedModelServer({ script: () => (isDown ? reply.error(503) : FOUR) });
    await using spare = await scriptedModelServer({ script: () => FOUR });
    await using server = await serveFile(`endpoints:
  main: { endpoint: '${main.openaiUrl}', model: scripted, fallbacks: [spare] }
  spare: { endpoint: '${spare.openaiUrl}', model: scripted }
`);
    const client = await connect(server);
    const { output: value } = await client.chat().ask({ prompt: 'How many?', output: COUNT });
    expect(value).toEqual({ count: 4 });
    expect([main.turns.length, spare.turns.length]).toEqual([1, 1]);
    isDown = false;
    await client.chat().ask({ prompt: 'How many?', output: COUNT });
    expect([main.turns.length, spare.turns.length]).toEqual([2, 1]);
  },
);

it('calls a model at most as often at once as its file allows', { timeout: TIMEOUT_MS }, async () => {
  const atOnce: number[] = [];
  let open = 0;
  let partner = Promise.withResolvers<void>();
  await using model = await scriptedModelServer({
    // Each call waits for a second one. This proves two concurrent calls, and a third one would be
    // counted.
    script: async () => {
      open += 1;
      atOnce.push(open);
      const pair = partner;
      if (atOnce.length % 2 === 0) {
        partner = Promise.withResolvers();
        setTimeout(pair.resolve, 20);
      }
      await pair.promise;
      open -= 1;
      return FOUR;
    },
  });
  await using server = await serveFile(`endpoints:
  small: { endpoint: '${model.openaiUrl}', model: scripted, concurrency: 2 }
`);
  const client = await connect(server);
  const asks = Array.from({ length: 8 }, async () =>
    client.chat().ask({ prompt: 'How many?', output: COUNT }),
  );
  await Promise.all(asks);
  expect(atOnce).toHaveLength(8);
  expect(Math.max(...atOnce)).toBe(2);
});

it('refuses a file that is absent', async () => {
  const options = { environment: {}, port: 0, databaseUrl: ':memory:', modelsFile: '/absent/models.yaml' };
  await expect(createChatServer(options)).rejects.toThrow('`/absent/models.yaml` cannot be read');
});
