import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ScriptedModelServer } from '../scripted-model-server.ts';
import { reply } from '../turn/scripted-reply.ts';
import {
  type Answer,
  anthropicBody,
  type JsonRecord,
  post,
  postAnthropic,
  startScripted,
} from '../test-client.ts';

const BASH = { name: 'Bash', description: 'Run', input_schema: { type: 'object', properties: {} } };
const CALL = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }] };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' };
const TWO_DELTAS = [
  'content_block_start',
  'content_block_delta',
  'content_block_delta',
  'content_block_stop',
];
const ASKED = { role: 'user', content: 'Hi' };

describe('a stream', () => {
  let answer: Answer;
  beforeEach(async () => {
    await using server = await startScripted(() =>
      reply.steps([reply.thinking('hm'), reply.text('abcde'), reply.shell('ls')], {
        chunkChars: 3,
        usage: { inputTokens: 7, outputTokens: 9, cacheReadInputTokens: 2, cacheCreationInputTokens: 1 },
      }),
    );
    answer = await postAnthropic(server, anthropicBody({ stream: true, tools: [BASH] }));
  });

  test('has the events of each block in the order of the service', () => {
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/u);
    expect(answer.events.map(({ event }) => event)).toEqual([
      'message_start',
      'ping',
      ...TWO_DELTAS,
      ...TWO_DELTAS,
      'content_block_start',
      ...answer.events
        .filter(({ data }) => data['index'] === 2)
        .slice(1, -1)
        .map(() => 'content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(answer.events.every(({ event, data }) => data['type'] === event)).toBe(true);
  });

  test('cuts text, thinking and input into deltas that join to the whole', () => {
    const deltas = answer.events
      .filter(({ event }) => event === 'content_block_delta')
      .map(({ data }) => data['delta'] as JsonRecord);

    expect(deltas.filter((delta) => delta['type'] === 'text_delta').map((delta) => delta['text'])).toEqual([
      'abc',
      'de',
    ]);
    expect(deltas[0]).toEqual({ type: 'thinking_delta', thinking: 'hm' });
    expect(deltas[1]).toMatchObject({ type: 'signature_delta' });
    const input = deltas.filter((delta) => delta['type'] === 'input_json_delta');
    expect(JSON.parse(input.map((delta) => delta['partial_json'] as string).join(''))).toMatchObject({
      command: 'ls',
    });
  });

  test('starts a tool call with an empty input, and ends for it', () => {
    const start = answer.events.find(({ data }) => data['index'] === 2);

    expect(start?.data['content_block']).toEqual({
      type: 'tool_use',
      id: expect.stringMatching(/^toolu_[0-9a-f]{24}$/u),
      name: 'Bash',
      input: {},
    });
    expect(answer.events.at(-2)?.data['delta']).toEqual({ stop_reason: 'tool_use', stop_sequence: null });
  });

  test('reports the usage at its start and at its end', () => {
    const start = answer.events[0]?.data['message'] as JsonRecord;

    expect(start['usage']).toMatchObject({ input_tokens: 7, output_tokens: 1 });
    expect(answer.events.at(-2)?.data['usage']).toEqual({
      input_tokens: 7,
      output_tokens: 9,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 1,
    });
  });
});

describe('a plain answer', () => {
  test('is the whole message', async () => {
    await using server = await startScripted(() => reply.text('abcde', { usage: { inputTokens: 7 } }));
    const { status, body } = await postAnthropic(server, anthropicBody());

    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-f]{24}$/u),
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [{ type: 'text', text: 'abcde' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 7,
        output_tokens: 2,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    });
  });

  test('reports when the model reached its limit', async () => {
    await using server = await startScripted(() => reply.text('abc', { finishReason: 'length' }));

    expect((await postAnthropic(server, anthropicBody())).body['stop_reason']).toBe('max_tokens');
  });

  test('uses the tool StructuredOutput if it is offered, and text otherwise', async () => {
    await using server = await startScripted(() => reply.json({ a: 1 }));
    const tool = { ...BASH, name: 'StructuredOutput' };
    const offered = await postAnthropic(server, anthropicBody({ tools: [tool] }));
    const bare = await postAnthropic(server, anthropicBody());

    expect(offered.body['content']).toMatchObject([
      { type: 'tool_use', name: 'StructuredOutput', input: { a: 1 } },
    ]);
    expect(bare.body['content']).toEqual([{ type: 'text', text: '{"a":1}' }]);
    expect(server.turns[0]?.jsonSchema).toEqual(tool.input_schema);
  });
});

describe('a turn', () => {
  test('converts the posted transcript to neutral terms', async () => {
    await using server = await startScripted();
    const messages = [ASKED, CALL, { role: 'user', content: [RESULT, { type: 'text', text: 'a reminder' }] }];
    await postAnthropic(server, anthropicBody({ system: 'Be kind.', messages, tools: [BASH] }));

    expect(server.turns[0]).toMatchObject({
      wire: 'anthropic-messages',
      turnIndex: 0,
      model: 'claude-test',
      system: 'Be kind.',
      userText: 'Hi',
      lastToolResult: { id: 'toolu_1', name: 'Bash', text: 'done', isError: false },
      tools: [{ name: 'Bash', kind: 'function', inputSchema: BASH.input_schema }],
      isStreaming: false,
    });
  });

  test('has no tool result once the model has answered it', async () => {
    await using server = await startScripted();
    const answered = [
      ASKED,
      CALL,
      { role: 'user', content: [RESULT] },
      { role: 'assistant', content: 'Fine.' },
    ];
    await postAnthropic(
      server,
      anthropicBody({ messages: [...answered, { role: 'user', content: 'And?' }] }),
    );

    expect(server.turns[0]?.lastToolResult).toBeUndefined();
    expect(server.turns[0]?.userText).toBe('And?');
  });
});

describe('a request that the service rejects', () => {
  let server: ScriptedModelServer;
  beforeEach(async () => {
    server = await startScripted();
  });
  afterEach(() => server.close());

  const messages = (...posted: readonly unknown[]): Record<string, unknown> =>
    anthropicBody({ messages: posted });
  const tools = (...offered: readonly unknown[]): Record<string, unknown> =>
    anthropicBody({ tools: offered });

  test.each<[string, Record<string, unknown> | string, string]>([
    ['no max_tokens', anthropicBody({ max_tokens: undefined }), 'max_tokens: Field required'],
    ['no model', anthropicBody({ model: undefined }), 'model: Field required'],
    ['no JSON', '{', 'The request body is not valid JSON'],
    ['no message', messages(), 'messages: at least one message is required'],
    ['a first message of the model', messages(CALL), 'messages: first message must use the "user" role'],
    [
      'an empty text',
      messages({ role: 'user', content: '' }),
      'messages.0: text content blocks must be non-empty',
    ],
    [
      'an unanswered call',
      messages(ASKED, CALL),
      'messages.1: `tool_use` ids were found without `tool_result`',
    ],
    [
      'a call answered by text',
      messages(ASKED, CALL, ASKED),
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1',
    ],
    [
      'text before the result',
      messages(ASKED, CALL, { role: 'user', content: [{ type: 'text', text: 'x' }, RESULT] }),
      'messages.1: `tool_use` ids were found without `tool_result`',
    ],
    [
      'a result of another call',
      messages(ASKED, CALL, { role: 'user', content: [RESULT, { ...RESULT, tool_use_id: 'toolu_2' }] }),
      'messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_2',
    ],
    [
      'a result of no call',
      messages({ role: 'user', content: [RESULT] }),
      'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1',
    ],
    [
      'a call id used twice',
      messages(ASKED, CALL, { role: 'user', content: [RESULT] }, CALL, { role: 'user', content: [RESULT] }),
      'messages.3: `tool_use` ids must be unique',
    ],
    [
      'a tool whose input is no object',
      tools({ ...BASH, input_schema: { type: 'string' } }),
      "tools.0.custom.input_schema.type: Input should be 'object'",
    ],
    [
      'a tool without a type',
      tools({ ...BASH, input_schema: {} }),
      'tools.0.custom.input_schema.type: Field required',
    ],
    ['a tool without a schema', tools({ name: 'Bash' }), 'tools.0.custom.input_schema: Field required'],
    [
      'a union at the top of a tool',
      tools({ ...BASH, input_schema: { type: 'object', anyOf: [] } }),
      'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
    ],
    ['a bad tool name', tools({ ...BASH, name: 'a b' }), 'tools.0.custom.name: String should match pattern'],
    ['two tools of one name', tools(BASH, BASH), 'tools: Tool names must be unique.'],
    [
      'a choice of a tool that is not offered',
      anthropicBody({ tools: [BASH], tool_choice: { type: 'tool', name: 'Other' } }),
      "tool_choice: Tool 'Other' not found in provided tools",
    ],
  ])('is refused: %s', async (_title, body, message) => {
    const answer = await postAnthropic(server, body);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
      request_id: answer.headers.get('request-id'),
    });
    expect(server.turns).toEqual([]);
    expect(server.failures).toEqual([]);
  });

  test('is refused: no version header', async () => {
    const answer = await post(`${server.anthropicUrl}/v1/messages`, anthropicBody());

    expect(answer.body).toMatchObject({ error: { message: 'anthropic-version: header is required' } });
  });
});

describe('requests that are not model calls', () => {
  test('counts tokens', async () => {
    await using server = await startScripted();
    const answer = await post(`${server.anthropicUrl}/v1/messages/count_tokens`, anthropicBody());

    expect(answer.body).toEqual({ input_tokens: expect.any(Number) });
    expect(server.turns).toEqual([]);
  });

  test('answers the probes of Claude Code', async () => {
    await using server = await startScripted();
    const probes = await Promise.all([
      fetch(`${server.anthropicUrl}/api/hello`, { method: 'HEAD' }),
      fetch(`${server.anthropicUrl}/api/hello`),
    ]);

    expect(probes.map((probe) => probe.status)).toEqual([200, 200]);
  });

  test('does not know another path', async () => {
    await using server = await startScripted();
    const answer = await post(`${server.anthropicUrl}/v1/messages/batches`, {});

    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ error: { type: 'not_found_error' } });
  });
});
