import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ScriptedModelServer } from '../scripted-model-server.ts';
import { reply } from '../turn/scripted-reply.ts';
import { type Answer, type JsonRecord, postResponses, responsesBody, startScripted } from '../test-client.ts';

const SHELL = { type: 'function', name: 'exec_command', strict: false, parameters: { type: 'object' } };
const ASKED = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };
const CALL = { type: 'function_call', call_id: 'call_1', name: 'exec_command', arguments: '{"cmd":"ls"}' };
const RESULT = { type: 'function_call_output', call_id: 'call_1', output: 'done' };

describe('a stream', () => {
  let answer: Answer;
  beforeEach(async () => {
    await using server = await startScripted(() =>
      reply.steps([reply.thinking('hm'), reply.text('abcde'), reply.shell('ls')], {
        chunkChars: 3,
        usage: { inputTokens: 7, outputTokens: 9, cacheReadInputTokens: 2, cacheCreationInputTokens: 1 },
      }),
    );
    answer = await postResponses(server, responsesBody({ stream: true, tools: [SHELL] }));
  });

  test('has the events of each item in the order of the service, numbered', () => {
    const types = answer.events.map(({ event }) => event.replace(/^response\./u, ''));

    expect(types.slice(0, 16)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
    ]);
    expect(types.slice(-4)).toEqual([
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    expect(answer.events.map(({ data }) => data['sequence_number'])).toEqual(answer.events.map((_, n) => n));
    expect(answer.events.every(({ event, data }) => data['type'] === event)).toBe(true);
  });

  test('names in each delta the item that was announced', () => {
    const items = answer.events.filter(({ event }) => event === 'response.output_item.added');
    const ids = items.map(({ data }) => (data['item'] as JsonRecord)['id']);
    const deltas = answer.events.filter(({ event }) => event.endsWith('.delta'));

    expect(deltas.every(({ data }) => data['item_id'] === ids[Number(data['output_index'])])).toBe(true);
  });

  test('ends with the whole response, its call and its usage', () => {
    expect(answer.events.at(-1)?.data['response']).toMatchObject({
      id: expect.stringMatching(/^resp_/u),
      status: 'completed',
      model: 'gpt-test',
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'abcde' }] },
        {
          type: 'function_call',
          call_id: expect.stringMatching(/^call_/u),
          name: 'exec_command',
          arguments: '{"cmd":"ls"}',
        },
      ],
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 9,
        total_tokens: 19,
      },
    });
  });
});

describe('a plain answer', () => {
  test('is the whole response', async () => {
    await using server = await startScripted(() => reply.text('abcde'));
    const { status, body } = await postResponses(server, responsesBody());

    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'response',
      status: 'completed',
      incomplete_details: null,
      error: null,
    });
    expect(body['output']).toMatchObject([{ content: [{ text: 'abcde' }] }]);
  });

  test('is incomplete when the model reached its limit', async () => {
    await using server = await startScripted(() => reply.text('abc', { finishReason: 'length' }));
    const plain = await postResponses(server, responsesBody());
    const streamed = await postResponses(server, responsesBody({ stream: true }));

    expect(plain.body).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    expect(streamed.events.at(-1)?.event).toBe('response.incomplete');
  });

  test.each([
    ['exec_command', SHELL, { type: 'function_call', arguments: '{"cmd":"ls"}' }],
    [
      'shell',
      { ...SHELL, name: 'shell' },
      { type: 'function_call', arguments: '{"command":["bash","-lc","ls"]}' },
    ],
    [
      'local_shell',
      { type: 'local_shell' },
      { type: 'local_shell_call', action: { type: 'exec', command: ['bash', '-lc', 'ls'] } },
    ],
  ])('runs a shell command through %s', async (_name, tool, call) => {
    await using server = await startScripted(() => reply.shell('ls'));

    expect((await postResponses(server, responsesBody({ tools: [tool] }))).body['output']).toMatchObject([
      call,
    ]);
  });

  test('calls a tool of free text with its text', async () => {
    await using server = await startScripted(() => reply.tool('apply_patch', '*** Begin'));
    const tools = [{ type: 'custom', name: 'apply_patch' }];

    expect((await postResponses(server, responsesBody({ tools }))).body['output']).toMatchObject([
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin' },
    ]);
  });
});

describe('a turn', () => {
  test('converts the posted transcript to neutral terms', async () => {
    await using server = await startScripted();
    const developer = { role: 'developer', content: 'Be kind.' };
    await postResponses(
      server,
      responsesBody({ instructions: 'Be brief.', input: [developer, ASKED, CALL, RESULT], tools: [SHELL] }),
    );

    expect(server.turns[0]).toMatchObject({
      wire: 'openai-responses',
      system: 'Be brief.\nBe kind.',
      userText: 'Hi',
      lastToolResult: { id: 'call_1', name: 'exec_command', text: 'done' },
      tools: [{ name: 'exec_command', kind: 'function' }],
    });
  });

  test('contains the schema of the response format', async () => {
    await using server = await startScripted();
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    const format = { type: 'json_schema', name: 'answer', strict: true, schema };
    await postResponses(server, responsesBody({ text: { format } }));

    expect(server.turns[0]?.jsonSchema).toEqual(schema);
  });

  test('continues from an earlier response, and from items named by id', async () => {
    await using server = await startScripted(() => reply.text('It is 42.'));
    const { body } = await postResponses(server, responsesBody());
    const [item] = body['output'] as readonly JsonRecord[];
    await postResponses(server, responsesBody({ input: 'And?', previous_response_id: body['id'] }));
    const reference = { type: 'item_reference', id: item?.['id'] };
    await postResponses(
      server,
      responsesBody({ input: [ASKED, reference, { role: 'user', content: 'So?' }] }),
    );

    const texts = server.turns.map((turn) => turn.messages.map(({ parts: [part] }) => part));
    const said = { type: 'text', text: 'It is 42.' };
    expect(texts[1]).toEqual([{ type: 'text', text: 'Hi' }, said, { type: 'text', text: 'And?' }]);
    expect(texts[2]).toEqual([{ type: 'text', text: 'Hi' }, said, { type: 'text', text: 'So?' }]);
  });
});

describe('a request that the service rejects', () => {
  let server: ScriptedModelServer;
  beforeEach(async () => {
    server = await startScripted();
  });
  afterEach(() => server.close());

  const input = (...items: readonly unknown[]): Record<string, unknown> => responsesBody({ input: items });
  const format = (fields: object): Record<string, unknown> =>
    responsesBody({ text: { format: { type: 'json_schema', ...fields } } });

  test.each<[string, Record<string, unknown> | string, JsonRecord]>([
    ['no JSON', '{', { message: 'The request body is not valid JSON.', param: null }],
    [
      'no model',
      responsesBody({ model: undefined }),
      { message: "Missing required parameter: 'model'.", param: 'model', code: 'missing_required_parameter' },
    ],
    ['no input', responsesBody({ input: undefined }), { param: 'input', code: 'missing_required_parameter' }],
    [
      'a message of nobody',
      input({ role: 'robot', content: 'x' }),
      { param: 'input[0].role', code: 'invalid_type' },
    ],
    ['an unanswered call', input(ASKED, CALL), { message: 'No tool output found for function call call_1.' }],
    [
      'an output of no call',
      input(ASKED, RESULT),
      { message: 'No tool call found for function call output with call_id call_1.', param: 'input' },
    ],
    [
      'an output of another kind than its call',
      input(ASKED, CALL, { ...RESULT, type: 'custom_tool_call_output' }),
      { message: 'No tool call found for custom tool call output with call_id call_1.' },
    ],
    ['an output twice', input(ASKED, CALL, RESULT, RESULT), { param: 'input' }],
    [
      'a format without a name',
      format({ schema: { type: 'object' } }),
      { param: 'text.format.name', code: 'missing_required_parameter' },
    ],
    [
      'a strict format that is not strict enough',
      format({ name: 'answer', strict: true, schema: { type: 'object', properties: {} } }),
      {
        message:
          "Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to be supplied and to be false.",
        param: 'text.format.schema',
        code: 'invalid_json_schema',
      },
    ],
    [
      'a strict tool that is not strict enough',
      responsesBody({ tools: [{ ...SHELL, strict: true }] }),
      { param: 'tools[0].parameters', code: 'invalid_function_parameters' },
    ],
    [
      'a tool whose input is no object',
      responsesBody({ tools: [{ ...SHELL, parameters: { type: 'array' } }] }),
      { param: 'tools[0].parameters', code: 'invalid_function_parameters' },
    ],
    [
      'a tool without a name',
      responsesBody({ tools: [{ type: 'function' }] }),
      { param: 'tools[0].name', code: 'missing_required_parameter' },
    ],
    ['a bad tool name', responsesBody({ tools: [{ ...SHELL, name: 'a b' }] }), { param: 'tools[0].name' }],
    [
      'JSON mode without the word',
      responsesBody({ text: { format: { type: 'json_object' } } }),
      { param: 'input' },
    ],
    [
      'an earlier response that is not known',
      responsesBody({ previous_response_id: 'resp_0' }),
      { param: 'previous_response_id', code: 'previous_response_not_found' },
    ],
  ])('is refused: %s', async (_title, body, error) => {
    const answer = await postResponses(server, body);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { type: 'invalid_request_error', ...error } });
    expect(server.turns).toEqual([]);
    expect(server.failures).toEqual([]);
  });

  test('is not found: an item that is not known', async () => {
    const answer = await postResponses(server, input({ type: 'item_reference', id: 'msg_0' }));

    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ error: { message: "Item with id 'msg_0' not found." } });
  });
});

describe('requests that are not model calls', () => {
  test('lists one model, and no catalogue of Codex', async () => {
    await using server = await startScripted();
    const response = await fetch(`${server.openaiUrl}/models`);

    expect(await response.json()).toMatchObject({ object: 'list', data: [{ id: 'scripted' }], models: [] });
  });

  test('does not know another path', async () => {
    await using server = await startScripted();

    expect((await fetch(`${server.openaiUrl}/responses/resp_1`)).status).toBe(404);
  });
});
