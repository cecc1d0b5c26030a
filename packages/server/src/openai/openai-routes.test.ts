import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { openAIRoutes } from './openai-routes.ts';

const app = openAIRoutes({
  models: {
    find: (id) => Promise.reject(new UsageError(`There is no model \`${id}\`.`)),
    list: () => ['local:small'],
  },
  limits: { maxBodyBytes: 20_000 },
});
const errorSchema = z.object({
  error: z.strictObject({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string(),
  }),
});

interface Told {
  readonly status: number;
  readonly param: string | null;
  readonly code: string;
  readonly message: string;
  readonly retried: string | null;
}

async function post(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Told> {
  const response = await app.request(path, { method: 'POST', body });
  const { error } = errorSchema.parse(await response.json());
  return { status: response.status, ...error, retried: response.headers.get('x-should-retry') };
}

const user = { role: 'user', content: 'Hi' };
const chat = { model: 'm', messages: [user] };
const called = {
  role: 'assistant',
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
};
const answered = { role: 'tool', tool_call_id: 'c1', content: 'x' };
const look = { type: 'function', function: { name: 'look' } };
const format = (json_schema: unknown): object => ({
  ...chat,
  response_format: { type: 'json_schema', json_schema },
});

describe('POST /v1/chat/completions refuses', () => {
  it.each<[string, object, string | null]>([
    ['no model', { messages: [user] }, 'model'],
    ['an empty model', { ...chat, model: '' }, 'model'],
    ['no messages', { model: 'm' }, 'messages'],
    ['an empty conversation', { ...chat, messages: [] }, 'messages'],
    ['messages that are no list', { ...chat, messages: 'Hi' }, 'messages'],
    ['an unknown role', { ...chat, messages: [{ role: 'function', content: 'x' }] }, 'messages[0].role'],
    ['no content', { ...chat, messages: [{ role: 'user' }] }, 'messages[0].content'],
    [
      'content that is a number',
      { ...chat, messages: [{ role: 'user', content: 1 }] },
      'messages[0].content',
    ],
    [
      'an unknown part',
      { ...chat, messages: [{ role: 'user', content: [{ type: 'video' }] }] },
      'messages[0].content[0].type',
    ],
    [
      'a picture at an address that is none',
      {
        ...chat,
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
        ],
      },
      'messages[0].content',
    ],
    [
      'a file that only OpenAI has',
      { ...chat, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
      'messages[0].content[0].file.file_data',
    ],
    ['a call without an answer', { ...chat, messages: [user, called] }, 'messages[1]'],
    ['a call answered too late', { ...chat, messages: [user, called, user, answered] }, 'messages[1]'],
    ['an answer without a call', { ...chat, messages: [user, answered] }, 'messages[1]'],
    ['an answer given twice', { ...chat, messages: [user, called, answered, answered] }, 'messages[3]'],
    [
      'arguments that are no text',
      {
        ...chat,
        messages: [
          {
            ...called,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: {} } }],
          },
        ],
      },
      'messages[0].tool_calls[0].function.arguments',
    ],
    ['a temperature that is too high', { ...chat, temperature: 3 }, 'temperature'],
    ['a temperature in words', { ...chat, temperature: 'hot' }, 'temperature'],
    ['a limit of nothing', { ...chat, max_tokens: 0 }, 'max_tokens'],
    ['five stops', { ...chat, stop: ['1', '2', '3', '4', '5'] }, 'stop'],
    ['a stream in words', { ...chat, stream: 'yes' }, 'stream'],
    ['several answers', { ...chat, n: 2 }, 'n'],
    ['probabilities', { ...chat, logprobs: true }, 'logprobs'],
    ['sound', { ...chat, modalities: ['text', 'audio'] }, 'modalities'],
    ['functions as they once were', { ...chat, functions: [] }, 'functions'],
    ['a tool of OpenAI', { ...chat, tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [
      'a tool without a name',
      { ...chat, tools: [{ type: 'function', function: {} }] },
      'tools[0].function.name',
    ],
    [
      'a tool whose name is none',
      { ...chat, tools: [{ type: 'function', function: { name: 'a b' } }] },
      'tools[0].function.name',
    ],
    ['two tools of one name', { ...chat, tools: [look, look] }, 'tools'],
    [
      'a choice of no tool',
      { ...chat, tools: [look], tool_choice: { type: 'function', function: { name: 'x' } } },
      'tool_choice',
    ],
    ['a required call without tools', { ...chat, tool_choice: 'required' }, 'tool_choice'],
    ['an unknown choice', { ...chat, tool_choice: 'any' }, 'tool_choice'],
    [
      'a tool of the server’s own name beside a format',
      {
        ...format({ name: 'a', schema: { type: 'object' } }),
        tools: [{ type: 'function', function: { name: 'submit_structured_output' } }],
      },
      'tools',
    ],
    ['an unknown format', { ...chat, response_format: { type: 'xml' } }, 'response_format.type'],
    ['a format without a schema', format({ name: 'a' }), 'response_format.json_schema.schema'],
    ['a format without a name', format({ schema: {} }), 'response_format.json_schema.name'],
    [
      'a schema that refers elsewhere',
      format({ name: 'a', schema: { $ref: 'https://example.invalid/x' } }),
      'response_format.json_schema.schema',
    ],
    [
      'a schema that is none',
      format({ name: 'a', schema: { type: 'thing' } }),
      'response_format.json_schema.schema',
    ],
    [
      'a schema that is too large',
      format({ name: 'a', schema: { type: 'object', description: 'x'.repeat(17_000) } }),
      'response_format.json_schema.schema',
    ],
  ])('%s', async (_name, body, param) => {
    const told = await post('/v1/chat/completions', JSON.stringify(body));
    expect(told).toMatchObject({ status: 400, param, type: 'invalid_request_error', retried: 'false' });
    expect(told.message.length).toBeGreaterThan(10);
  });
});

const responses = { model: 'm', input: 'Hi' };
const call = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'c1', output: 'x' };

describe('POST /v1/responses refuses', () => {
  it.each<[string, object, string | null]>([
    ['no model', { input: 'Hi' }, 'model'],
    ['no input', { model: 'm' }, 'input'],
    ['an empty input', { ...responses, input: [] }, 'input'],
    ['an input that is a number', { ...responses, input: 7 }, 'input'],
    [
      'an item that refers to one that is not kept',
      { ...responses, input: [{ type: 'item_reference', id: 'x' }] },
      'input[0].type',
    ],
    ['an unknown role', { ...responses, input: [{ role: 'tool', content: 'x' }] }, 'input[0].role'],
    [
      'a picture that only OpenAI has',
      { ...responses, input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] },
      'input[0].content[0].image_url',
    ],
    ['a call without an answer', { ...responses, input: [call] }, 'input[0]'],
    ['an answer without a call', { ...responses, input: [output] }, 'input[0]'],
    ['a response before this one', { ...responses, previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a conversation', { ...responses, conversation: 'conv_1' }, 'conversation'],
    ['work in the background', { ...responses, background: true }, 'background'],
    ['a stored prompt', { ...responses, prompt: { id: 'p' } }, 'prompt'],
    [
      'a required call with a tool of OpenAI',
      { ...responses, tools: [{ type: 'web_search' }], tool_choice: 'required' },
      'tools[0].type',
    ],
    ['a limit that is no number', { ...responses, max_output_tokens: 'many' }, 'max_output_tokens'],
    ['an unknown format', { ...responses, text: { format: { type: 'xml' } } }, 'text.format.type'],
    [
      'a format without a schema',
      { ...responses, text: { format: { type: 'json_schema', name: 'a' } } },
      'text.format.schema',
    ],
  ])('%s', async (_name, body, param) => {
    const told = await post('/v1/responses', JSON.stringify(body));
    expect(told).toMatchObject({ status: 400, param, type: 'invalid_request_error', retried: 'false' });
  });
});

describe.each(['/v1/chat/completions', '/v1/responses'])('the body of %s', (path) => {
  it.each([
    ['is no JSON', '{"model":'],
    ['is empty', ''],
    ['is a list', '[]'],
    ['is nested too deep', `{"metadata":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
    ['could reach a prototype', '{"__proto__":{}}'],
    ['is no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('is refused when it %s', async (_name, body) => {
    expect(await post(path, body)).toMatchObject({ status: 400, param: null, code: 'invalid_json' });
  });

  it('is refused past its limit, with or without a content length', async () => {
    const body = JSON.stringify({ ...chat, ...responses, user: 'x'.repeat(20_000) });
    expect(await post(path, body)).toMatchObject({ status: 413, code: 'request_too_large' });
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(body));
        controller.close();
      },
    });
    const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', body: stream, duplex: 'half' };
    expect((await app.request(path, init)).status).toBe(413);
  });

  it('names a model that does not exist', async () => {
    const body = JSON.stringify({ ...chat, ...responses });
    expect(await post(path, body)).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    const agent = await post(path, JSON.stringify({ ...chat, ...responses, model: 'agent/claude-code' }));
    expect(agent).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
  });
});

it('reports an unknown address in the format of the API', async () => {
  const response = await app.request('/v1/embeddings', { method: 'POST', body: '{}' });
  expect(response.status).toBe(404);
  expect(errorSchema.parse(await response.json()).error.code).toBe('unknown_url');
});

it('lists models, and describes one', async () => {
  const list: unknown = await (await app.request('/v1/models')).json();
  const model = { id: 'local:small', object: 'model', created: 0, owned_by: 'truecast' };
  expect(list).toEqual({ object: 'list', data: [model] });
  expect(await (await app.request('/v1/models/local%3Asmall')).json()).toEqual(model);
  expect((await app.request('/v1/models/other')).status).toBe(404);
});
