import { expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/create-client.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import type { MessagePart } from '../../packages/client/src/wire/message-parts.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';

/** Each service's own name for it, among the tools. */
const OFFERED = /"type":"web_search(?:_20250305)?"|"googleSearch"/u;
const TIMEOUT_MS = 60_000;
const pages = [{ url: 'https://pears.test/', title: 'Pears' }];
const search = reply.webSearch({ query: 'pears', pages });
const answer = reply.tool(FINALIZER_NAME, { output: { count: 4 } });

it.each([
  // Events of the service up to the announcement of the search. Google announces none.
  ['anthropic:claude-sonnet-5-5', 8, 'tool_call'],
  ['openai:gpt-6.1-sol', 9, 'tool_call'],
  ['google:gemini-3.8-flash', 1, 'text'],
])(
  'a search of %s is streamed if its service reports it, interrupted, completed, and used in the answer, over HTTP',
  { timeout: TIMEOUT_MS },
  async (id, afterChunks, told) => {
    const begun = reply.steps([reply.text('Let me look.'), search, reply.text('Four.')]);
    await using model = await scriptedModelServer({
      script: [
        reply.cut({ afterChunks, isSilent: true }, begun),
        reply.steps([search, reply.text('Four.')]),
        reply.steps([search, answer]),
        answer,
      ],
      chunkChars: 999,
    });
    await using server = await createChatServer({
      port: 0,
      databaseUrl: ':memory:',
      models: [id],
      providerTools: ['web_search'],
      environment: {
        ANTHROPIC_API_KEY: 'k',
        ANTHROPIC_BASE_URL: model.anthropicUrl,
        OPENAI_API_KEY: 'k',
        OPENAI_BASE_URL: model.openaiUrl,
        GOOGLE_GENERATIVE_AI_API_KEY: 'k',
        GOOGLE_GEMINI_BASE_URL: model.geminiUrl,
      },
    });
    const { token } = await server.createToken({ name: 'test' });
    const chat = createClient({ baseURL: server.url, token }).chat();
    const said = async (): Promise<readonly MessagePart[]> =>
      (await chat.messages()).messages.flatMap(({ content }) => content);
    await chat.send({ content: 'Pears?' });
    for await (const { event } of chat.events()) {
      if (event.type !== 'part' || event.kind !== told) continue;
      if (told === 'tool_call') expect(event.tool_name).toBe('web_search');
      break;
    }
    await chat.interrupt();
    await expect.poll(async () => (await chat.read()).status, { timeout: 20_000 }).toBe('waiting');
    expect((await said()).filter(({ type }) => type === 'tool_result')).toEqual([]);

    await chat.send({ content: 'Pears?' });
    await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(2);
    await expect.poll(async () => (await chat.read()).status, { timeout: 20_000 }).toBe('waiting');
    const found = (await said()).filter(({ type }) => type === 'tool_result');
    expect(found).toMatchObject([{ provider_executed: true, is_error: false }]);

    const output = Output.object({ schema: z.object({ count: z.number() }) });
    const { output: value, receipt } = await chat.ask({ prompt: 'How many pears?', output });
    expect(value).toEqual({ count: 4 });
    expect(receipt.attempts.map(({ code }) => code)).toEqual(['not_alone', 'ok']);
    expect(model.requests).toHaveLength(4);
    expect(model.requests.every(({ body }) => OFFERED.test(body))).toBe(true);
  },
);
