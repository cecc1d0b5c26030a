import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ScriptedModelServer, scriptedModelServer } from '../scripted-model-server.ts';
import { reply } from '../turn/scripted-reply.ts';
import { type Answer, chatBody, chunksOf, type JsonRecord, postChat, startScripted } from '../test-client.ts';

const SHELL = { type: 'function', function: { name: 'bash', parameters: { type: 'object' } } };
const ASKED = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const CALLED = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
};
const RESULT = { role: 'tool', tool_call_id: 'call_1', content: 'done' };
const STEPS = reply.steps([reply.thinking('hm'), reply.text('abcde'), reply.shell('ls')], {
  chunkChars: 3,
  usage: { inputTokens: 7, outputTokens: 9, cacheReadInputTokens: 2, cacheCreationInputTokens: 1 },
});
const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 9,
  total_tokens: 19,
  prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

interface Choice {
  readonly index: number;
  readonly delta: JsonRecord;
  readonly finish_reason: string | null;
}

function choicesOf(chunk: JsonRecord): readonly Choice[] {
  return chunk['choices'] as unknown as readonly Choice[]; // the server's own JSON
}

describe('a stream', () => {
  let chunks: JsonRecord[];
  let answer: Answer;
  beforeEach(async () => {
    await using server = await startScripted(() => STEPS);
    const asked = { stream: true, stream_options: { include_usage: true }, tools: [SHELL] };
    answer = await postChat(server, chatBody(asked));
    chunks = chunksOf(answer);
  });

  test('has a chunk with the role, the deltas of each block, one with the reason, one with the usage', () => {
    const deltas = chunks.flatMap(choicesOf).map(({ delta }) => delta);
    const [announced, ...grown] = deltas.slice(4, -1).map((delta) => delta['tool_calls']);

    expect(deltas.slice(0, 4)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'hm' },
      { content: 'abc' },
      { content: 'de' },
    ]);
    expect(announced).toEqual([
      {
        index: 0,
        id: expect.stringMatching(/^call_/u),
        type: 'function',
        function: { name: 'bash', arguments: '' },
      },
    ]);
    expect(grown[0]).toEqual([{ index: 0, function: { arguments: '{"c' } }]);
    expect(argumentsOf(grown)).toBe('{"command":"ls","description":"Run a scripted command"}');
    expect(deltas.at(-1)).toEqual({});
  });

  test('has one id and model in every chunk, and a reason only in the last choice', () => {
    expect(new Set(chunks.map(({ id, model }) => JSON.stringify([id, model]))).size).toBe(1);
    expect(chunks.every((chunk) => chunk['object'] === 'chat.completion.chunk')).toBe(true);
    const reasons = chunks.flatMap(choicesOf).map((choice) => choice.finish_reason);
    expect(reasons.at(-1)).toBe('tool_calls');
    expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
  });

  test('ends with the usage, which is null before, and its mark', () => {
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: USAGE });
    expect(chunks.slice(0, -1).every((chunk) => chunk['usage'] === null)).toBe(true);
    expect(answer.text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
  });

  test('has no usage unless it was requested', async () => {
    await using server = await startScripted(() => STEPS);
    const unasked = chunksOf(await postChat(server, chatBody({ stream: true, tools: [SHELL] })));

    expect(unasked.some((chunk) => 'usage' in chunk)).toBe(false);
    expect(unasked.every((chunk) => choicesOf(chunk).length === 1)).toBe(true);
  });
});

function argumentsOf(grown: readonly unknown[]): string {
  const calls = grown as readonly (readonly { readonly function: { readonly arguments: string } }[])[];
  return calls.map(([call]) => call?.function.arguments ?? '').join('');
}

describe('a plain answer', () => {
  test('is the whole message, its calls and its usage', async () => {
    await using server = await startScripted(() => STEPS);
    const { status, body } = await postChat(server, chatBody({ tools: [SHELL] }));

    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^chatcmpl_/u),
      object: 'chat.completion',
      model: 'gpt-test',
      usage: USAGE,
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'abcde',
            reasoning_content: 'hm',
            refusal: null,
            tool_calls: [
              {
                type: 'function',
                function: {
                  name: 'bash',
                  arguments: '{"command":"ls","description":"Run a scripted command"}',
                },
              },
            ],
          },
        },
      ],
    });
  });

  test('numbers two calls, and has no content beside them', async () => {
    const calls = reply.steps([reply.tool('bash', { command: 'a' }), reply.tool('patch', 'b')]);
    await using server = await startScripted(() => calls);
    const tools = [SHELL, { type: 'custom', custom: { name: 'patch' } }];
    const plain = await postChat(server, chatBody({ tools }));
    const streamed = chunksOf(await postChat(server, chatBody({ tools, stream: true })));

    expect(plain.body['choices']).toMatchObject([
      {
        message: {
          content: null,
          tool_calls: [
            { type: 'function', function: { name: 'bash', arguments: '{"command":"a"}' } },
            { type: 'custom', custom: { name: 'patch', input: 'b' } },
          ],
        },
      },
    ]);
    const deltas = streamed.flatMap(choicesOf).flatMap(({ delta }) => delta['tool_calls'] ?? []);
    expect(deltas).toMatchObject([
      { index: 0, type: 'function' },
      { index: 0, function: { arguments: '{"command":"a"}' } },
      { index: 1, type: 'custom', custom: { name: 'patch', input: '' } },
      { index: 1, custom: { input: 'b' } },
    ]);
  });

  test('reports when the model reached its limit', async () => {
    await using server = await startScripted(() => reply.text('abc', { finishReason: 'length' }));

    expect((await postChat(server, chatBody())).body['choices']).toMatchObject([{ finish_reason: 'length' }]);
    const streamed = chunksOf(await postChat(server, chatBody({ stream: true })));
    expect(streamed.flatMap(choicesOf).at(-1)?.finish_reason).toBe('length');
  });
});

describe('a turn', () => {
  test('contains text, reasoning, calls and results', async () => {
    await using server = await startScripted();
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Be kind.' },
      ASKED,
      { ...CALLED, content: 'Look.', reasoning_content: 'hm' },
      RESULT,
    ];
    await postChat(server, chatBody({ messages, tools: [SHELL] }));

    expect(server.turns[0]).toMatchObject({
      wire: 'openai-chat-completions',
      model: 'gpt-test',
      system: 'Be brief.\nBe kind.',
      userText: 'Hi',
      lastToolResult: { id: 'call_1', name: 'bash', text: 'done' },
      tools: [{ name: 'bash', kind: 'function', inputSchema: { type: 'object' } }],
      isStreaming: false,
    });
    expect(server.turns[0]?.messages[3]?.parts).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'Look.' },
      { type: 'tool-call', id: 'call_1', name: 'bash', input: { command: 'ls' } },
    ]);
  });

  test('contains the schema of the response format, and answers it natively as JSON text', async () => {
    await using server = await startScripted(() => reply.json({ n: 1 }));
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    const format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };
    const { body } = await postChat(server, chatBody({ response_format: format }));

    expect(server.turns[0]?.jsonSchema).toEqual(schema);
    expect(body['choices']).toMatchObject([{ message: { content: '{"n":1}' }, finish_reason: 'stop' }]);
  });

  test('keeps an image unchanged', async () => {
    await using server = await startScripted();
    const image = { type: 'image_url', image_url: { url: 'data:,' } };
    await postChat(
      server,
      chatBody({ messages: [{ role: 'user', content: [{ type: 'text', text: 'See' }, image] }] }),
    );

    expect(server.turns[0]?.messages[0]?.parts).toMatchObject([
      { type: 'text', text: 'See' },
      { type: 'other', raw: { type: 'image_url' } },
    ]);
  });
});

describe('a request that the service rejects', () => {
  let server: ScriptedModelServer;
  beforeEach(async () => {
    server = await startScripted();
  });
  afterEach(() => server.close());

  const posted = (...messages: readonly unknown[]): Record<string, unknown> => chatBody({ messages });
  const format = (fields: object): Record<string, unknown> =>
    chatBody({ response_format: { type: 'json_schema', ...fields } });

  test.each<[string, Record<string, unknown> | string, JsonRecord]>([
    ['no JSON', '{', { message: 'The request body is not valid JSON.', param: null }],
    [
      'no model',
      chatBody({ model: undefined }),
      { message: "Missing required parameter: 'model'.", param: 'model', code: 'missing_required_parameter' },
    ],
    ['no messages', posted(), { param: 'messages', code: 'empty_array' }],
    [
      'a message of nobody',
      posted({ role: 'robot', content: 'x' }),
      { param: 'messages[0].role', code: 'invalid_type' },
    ],
    [
      'an unanswered call before a message',
      posted(ASKED, CALLED, ASKED),
      {
        message:
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
        param: 'messages.[2].role',
      },
    ],
    ['an unanswered call at the end', posted(ASKED, CALLED), { param: 'messages.[2].role' }],
    ['a result of no call', posted(ASKED, RESULT), { param: 'messages.[1].role' }],
    ['a result twice', posted(ASKED, CALLED, RESULT, RESULT), { param: 'messages.[3].role' }],
    ['an empty list of tools', chatBody({ tools: [] }), { param: 'tools', code: 'empty_array' }],
    [
      'a tool without a name',
      chatBody({ tools: [{ type: 'function', function: {} }] }),
      { param: 'tools[0].function.name', code: 'missing_required_parameter' },
    ],
    [
      'a bad tool name',
      chatBody({ tools: [{ type: 'custom', custom: { name: 'a b' } }] }),
      { param: 'tools[0].custom.name', code: 'invalid_value' },
    ],
    [
      'a tool whose input is no object',
      chatBody({ tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'array' } } }] }),
      { param: 'tools[0].function.parameters', code: 'invalid_function_parameters' },
    ],
    [
      'a strict tool that is not strict enough',
      chatBody({
        tools: [{ type: 'function', function: { name: 'a', strict: true, parameters: { type: 'object' } } }],
      }),
      { param: 'tools[0].function.parameters', code: 'invalid_function_parameters' },
    ],
    [
      'a format without a schema',
      format({}),
      { param: 'response_format.json_schema', code: 'missing_required_parameter' },
    ],
    [
      'a format without a name',
      format({ json_schema: { schema: {} } }),
      { param: 'response_format.json_schema.name', code: 'missing_required_parameter' },
    ],
    [
      'a strict format that is not strict enough',
      format({ json_schema: { name: 'answer', strict: true, schema: { type: 'object', properties: {} } } }),
      {
        message:
          "Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to be supplied and to be false.",
        param: 'response_format',
      },
    ],
    [
      'JSON mode without the word',
      chatBody({ response_format: { type: 'json_object' } }),
      { param: 'messages' },
    ],
    [
      'options of a stream without a stream',
      chatBody({ stream_options: { include_usage: true } }),
      { param: 'stream_options' },
    ],
  ])('is refused: %s', async (_title, body, error) => {
    const answer = await postChat(server, body);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { type: 'invalid_request_error', ...error } });
    expect(server.turns).toEqual([]);
    expect(server.failures).toEqual([]);
  });
});

describe('a failure', () => {
  test('has the format of the service', async () => {
    await using server = await startScripted(() =>
      reply.error(429, { message: 'Slow down.', retryAfterSeconds: 2 }),
    );
    const answer = await postChat(server, chatBody({ stream: true }));

    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.body).toEqual({
      error: { message: 'Slow down.', type: 'requests', param: null, code: 'rate_limit_exceeded' },
    });
  });

  test('is a refused key', async () => {
    await using server = await startScripted(() => reply.text('never'), 'sk-1');
    const refused = await postChat(server, chatBody(), { authorization: 'Bearer other' });
    const taken = await postChat(server, chatBody(), { authorization: 'Bearer sk-1' });

    expect([refused.status, taken.status]).toEqual([401, 200]);
    expect(refused.body).toMatchObject({ error: { code: 'invalid_api_key' } });
  });

  test('is a connection that is cut after so many chunks', async () => {
    await using server = await startScripted(() => reply.cut({ afterChunks: 2 }, reply.text('abc')));
    const response = await fetch(`${server.openaiUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(chatBody({ stream: true })),
    });
    const received: string[] = [];
    const reading = (async () => {
      for await (const piece of response.body ?? []) received.push(Buffer.from(piece).toString());
    })();

    await expect(reading).rejects.toThrow(TypeError);
    expect(received.join('').match(/^data: /gmu)).toHaveLength(2);
  });
});

describe('requests that are not model calls', () => {
  test('lists the models that the server was given, and finds one', async () => {
    await using server = await scriptedModelServer({ script: [], models: ['small', 'org/large'] });
    const list = await fetch(`${server.openaiUrl}/models`);
    const found = await fetch(`${server.openaiUrl}/models/org%2Flarge`);
    const missing = await fetch(`${server.openaiUrl}/models/huge`);

    expect(await list.json()).toMatchObject({
      data: [{ id: 'small', object: 'model' }, { id: 'org/large' }],
    });
    expect(await found.json()).toMatchObject({ id: 'org/large' });
    expect(missing.status).toBe(404);
  });

  test('does not know another path or method', async () => {
    await using server = await startScripted();

    expect((await fetch(`${server.openaiUrl}/chat/completions`)).status).toBe(404);
    expect((await fetch(`${server.openaiUrl}/chat/completions/1`, { method: 'POST' })).status).toBe(404);
  });
});
