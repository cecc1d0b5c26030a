import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ScriptedModelServer } from '../scripted-model-server.ts';
import { reply } from '../turn/scripted-reply.ts';
import { chunksOf, geminiBody, type JsonRecord, postGemini, startScripted } from '../test-client.ts';

const STREAM = 'streamGenerateContent?alt=sse';
const SHELL = {
  functionDeclarations: [{ name: 'run_shell_command', parametersJsonSchema: { type: 'object' } }],
};
const ASKED = { role: 'user', parts: [{ text: 'Hi' }] };
const CALL = { functionCall: { name: 'run_shell_command', args: { command: 'ls' } } };
const RESPONSE = { functionResponse: { name: 'run_shell_command', response: { output: 'done' } } };
const CALLED = { role: 'model', parts: [CALL] };
const ANSWERED = { role: 'user', parts: [RESPONSE] };
const STEPS = reply.steps([reply.thinking('hm'), reply.text('abcde'), reply.shell('ls')], {
  chunkChars: 3,
  usage: { inputTokens: 7, outputTokens: 9, cacheReadInputTokens: 2, cacheCreationInputTokens: 1 },
});
const SHELL_CALL = {
  functionCall: { name: 'run_shell_command', args: { command: 'ls', is_background: false } },
};
const USAGE = {
  promptTokenCount: 10,
  candidatesTokenCount: 9,
  totalTokenCount: 19,
  cachedContentTokenCount: 2,
};

test('a stream has a chunk for each piece, an uncut call, and a reason in the last chunk only', async () => {
  await using server = await startScripted(() => STEPS);
  const chunks = chunksOf(await postGemini(server, STREAM, geminiBody({ tools: [SHELL] })));
  const candidates = chunks.flatMap((chunk) => chunk['candidates'] as unknown as JsonRecord[]); // the server's own JSON

  expect(candidates.map(({ content }) => content)).toEqual(
    [{ text: 'hm', thought: true }, { text: 'abc' }, { text: 'de' }, SHELL_CALL].map((part) => ({
      role: 'model',
      parts: [part],
    })),
  );
  expect(candidates.map(({ finishReason }) => finishReason)).toEqual([
    undefined,
    undefined,
    undefined,
    'STOP',
  ]);
  expect(chunks.at(-1)).toMatchObject({ usageMetadata: USAGE, modelVersion: 'gemini-test' });
  expect(new Set(chunks.map(({ responseId }) => responseId)).size).toBe(1);
});

test('a plain answer is the whole message and its usage', async () => {
  await using server = await startScripted(() => STEPS);
  const { status, body } = await postGemini(server, 'generateContent', geminiBody({ tools: [SHELL] }));

  expect(status).toBe(200);
  expect(body).toMatchObject({
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'abcde' }, SHELL_CALL] },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: USAGE,
  });
});

test('an answer reports when the model reached its limit', async () => {
  await using server = await startScripted(() => reply.text('abc', { finishReason: 'length' }));
  const { body } = await postGemini(server, 'generateContent');

  expect(body['candidates']).toMatchObject([{ finishReason: 'MAX_TOKENS' }]);
});

describe('a turn', () => {
  test('contains text, reasoning, calls and results, each result next to its call', async () => {
    await using server = await startScripted();
    const contents = [
      ASKED,
      { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'Look.' }, CALL, CALL] },
      {
        role: 'user',
        parts: [
          RESPONSE,
          { functionResponse: { name: 'run_shell_command', response: { error: 'no such file' } } },
        ],
      },
    ];
    const systemInstruction = { parts: [{ text: 'Be brief.' }] };
    const tools = [SHELL, { googleSearch: {} }];
    await postGemini(server, STREAM, geminiBody({ contents, systemInstruction, tools }));

    expect(server.turns[0]).toMatchObject({
      wire: 'gemini-generate-content',
      model: 'gemini-test',
      system: 'Be brief.',
      userText: 'Hi',
      toolResults: [
        { id: 'call_1_2', name: 'run_shell_command', text: 'done', isError: false },
        { id: 'call_1_3', name: 'run_shell_command', text: 'no such file', isError: true },
      ],
      tools: [
        { name: 'run_shell_command', kind: 'function', inputSchema: { type: 'object' } },
        { name: 'googleSearch', kind: 'built-in' },
      ],
      isStreaming: true,
    });
    expect(server.turns[0]?.messages[2]?.parts).toMatchObject([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'Look.' },
      { type: 'tool-call', id: 'call_1_2', input: { command: 'ls' } },
      { type: 'tool-call', id: 'call_1_3' },
    ]);
  });

  test('can contain a response twice, as Gemini CLI posts it on resume', async () => {
    await using server = await startScripted();
    const response = { functionResponse: { id: 'a', name: 'f', response: { output: 'done' } } };
    const contents = [
      ASKED,
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f' } }] },
      { role: 'user', parts: [response, response] },
    ];

    expect((await postGemini(server, STREAM, geminiBody({ contents }))).status).toBe(200);
  });

  test('keeps the ids that a client posts, and parts that are not text', async () => {
    await using server = await startScripted();
    const contents = [
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] },
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f' } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f', response: { n: 1 } } }] },
    ];
    await postGemini(server, 'generateContent', geminiBody({ contents }));

    expect(server.turns[0]?.lastToolResult).toMatchObject({ id: 'a', text: '{"n":1}', isError: false });
    expect(server.turns[0]?.messages[0]?.parts).toMatchObject([{ type: 'other' }]);
    expect(server.turns[0]?.isStreaming).toBe(false);
  });

  test.each(['responseJsonSchema', 'responseSchema'])(
    'contains the schema of %s, and answers it as JSON text',
    async (field) => {
      await using server = await startScripted(() => reply.json({ n: 1 }));
      const generationConfig = { responseMimeType: 'application/json', [field]: { type: 'object' } };
      const { body } = await postGemini(server, 'generateContent', geminiBody({ generationConfig }));

      expect(server.turns[0]?.jsonSchema).toEqual({ type: 'object' });
      expect(body['candidates']).toMatchObject([{ content: { parts: [{ text: '{"n":1}' }] } }]);
    },
  );
});

describe('a request that the service rejects', () => {
  let server: ScriptedModelServer;
  beforeEach(async () => {
    server = await startScripted();
  });
  afterEach(() => server.close());

  const posted = (...contents: readonly unknown[]): Record<string, unknown> => geminiBody({ contents });
  const declared = (...names: readonly string[]): Record<string, unknown> =>
    geminiBody({ tools: [{ functionDeclarations: names.map((name) => ({ name })) }] });

  test.each<[string, Record<string, unknown> | string, string]>([
    ['no JSON', '{', 'Invalid JSON payload'],
    ['no contents', {}, 'contents is not specified'],
    ['a text that is none', posted({ role: 'user', parts: [{ text: 7 }] }), 'contents.0.parts.0.text'],
    ['a message of nobody', posted({ role: 'robot', parts: [{ text: 'x' }] }), 'valid role'],
    ['a content without parts', posted(ASKED, { role: 'model', parts: [] }), 'contents[1].parts'],
    ['a bad function name', declared('a b'), 'function_declarations[0].name'],
    ['a function twice', declared('a', 'a'), 'Duplicate function declaration found: a'],
    ['an unanswered call before a message', posted(ASKED, CALLED, ASKED), 'number of function response'],
    ['an unanswered call at the end', posted(ASKED, CALLED), 'followed by a function response turn'],
    ['a result of no call', posted(ASKED, ANSWERED), 'immediately after a function call turn'],
    ['a result twice', posted(ASKED, CALLED, ANSWERED, ANSWERED), 'immediately after a function call turn'],
    [
      'fewer results than calls',
      posted(ASKED, { role: 'model', parts: [CALL, CALL] }, ANSWERED),
      'number of function response',
    ],
  ])('is refused: %s', async (_title, body, message) => {
    const answer = await postGemini(server, STREAM, body);

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: { code: 400, message: expect.stringContaining(message), status: 'INVALID_ARGUMENT' },
    });
    expect(server.turns).toEqual([]);
    expect(server.failures).toEqual([]);
  });
});

describe('a failure', () => {
  test('has the format of the service, and reports when to retry', async () => {
    await using server = await startScripted(() =>
      reply.error(429, { message: 'Slow down.', retryAfterSeconds: 2 }),
    );
    const answer = await postGemini(server, STREAM);

    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.body).toMatchObject({
      error: {
        code: 429,
        message: 'Slow down.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ retryDelay: '2s' }],
      },
    });
  });

  test('is a refused key', async () => {
    await using server = await startScripted(() => reply.text('never'), 'key-1');
    const refused = await postGemini(server, STREAM, geminiBody(), { 'x-goog-api-key': 'other' });
    const taken = await postGemini(server, STREAM, geminiBody(), { 'x-goog-api-key': 'key-1' });

    expect([refused.status, taken.status]).toEqual([401, 200]);
    expect(refused.body).toMatchObject({ error: { status: 'UNAUTHENTICATED' } });
  });

  test('is a connection that is cut after so many chunks', async () => {
    await using server = await startScripted(() =>
      reply.cut({ afterChunks: 2 }, reply.text('abc', { chunkChars: 1 })),
    );
    const response = await fetch(`${server.geminiUrl}/v1beta/models/m:${STREAM}`, {
      method: 'POST',
      body: JSON.stringify(geminiBody()),
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
  test('counts tokens', async () => {
    await using server = await startScripted();
    const { body } = await postGemini(server, 'countTokens');

    expect(body['totalTokens']).toBeGreaterThan(0);
    expect(server.turns).toEqual([]);
  });

  test('does not know another path or method', async () => {
    await using server = await startScripted();

    expect((await postGemini(server, 'embedContent')).status).toBe(404);
    expect((await fetch(`${server.geminiUrl}/v1beta/models/m:generateContent`)).status).toBe(404);
  });
});
