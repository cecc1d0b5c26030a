/**
 * Problem messages for mistyped input: the field, the received value, and what to send, over real
 * HTTP.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FORMAT, startServer, type TestRequest, type TestServer } from './test-server.ts';

let server: TestServer;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  server = await startServer({ limits: { requestsPerMinute: 100_000 } });
  const body = { content: 'x', response_format: FORMAT };
  const { json } = await server.ask('POST', '/api/chats', { body });
  ids = { ':id': json.chat.id, ':rid': json.request_id ?? '' };
});
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

async function told(method: string, path: string, options: TestRequest = {}): Promise<string[]> {
  const address = path.replaceAll(/:\w+/gu, (name) => ids[name] ?? name);
  const { status, json } = await server.ask(method, address, options);
  expect([status, json.code]).toEqual([400, path.includes('?') ? 'invalid_parameter' : 'invalid_body']);
  expect(json.field).toBe(json.problems?.[0]?.field);
  return (json.problems ?? []).map(({ field, pointer = '', detail }) => `${field}${pointer}: ${detail}`);
}

const CONTENT =
  'Must be a string, or an array of 1 to 100 parts such as {"type": "text", "text": "…"} and {"type": "file", "media_type": "image/png", "url": "https://…"}.';
const CREATE_KEYS =
  'Known keys: content, response_format, limits, plan_mode, client_id, message_client_id, model, title, system_prompt, tools, settings, labels.';
const part = (body: object): object => ({ content: [body] });
const with_ = (more: object): object => ({ content: 'x', ...more });

it.each<[object, string[]]>([
  [{}, [`content: Is missing. ${CONTENT}`]],
  [{ content: 1 }, [`content: Is a number. ${CONTENT}`]],
  [{ content: null }, [`content: Is \`null\`. ${CONTENT}`]],
  [{ content: { type: 'text', text: 'x' } }, [`content: Is an object. ${CONTENT}`]],
  [{ content: '' }, ['content: Must not be empty.']],
  [{ content: [] }, ['content: Must not be empty.']],
  [
    { contnet: 'x' },
    [`content: Is missing. ${CONTENT}`, `contnet: Is not a known key. Leave it out. ${CREATE_KEYS}`],
  ],
  [{ content: ['x'] }, ['content/0: Is a string. Must be a JSON object.']],
  [part({ text: 'x' }), ['content/0/type: Must be `text` or `file`.']],
  [part({ type: 'txt', text: 'x' }), ['content/0/type: Must be `text` or `file`.']],
  [part({ type: 'text' }), ['content/0/text: Is missing. Must be a string.']],
  [part({ type: 'file', media_type: 'a/b' }), ['content/0: Must have either `url` or `data`, and not both.']],
  [
    part({ type: 'file', media_type: 'a/b', url: 'https://x.example', data: 'AA==' }),
    ['content/0: Must have either `url` or `data`, and not both.'],
  ],
  [with_({ title: 1 }), ['title: Is a number. Must be a string.']],
  [with_({ title: 'x'.repeat(201) }), ['title: Must have at most 200 characters.']],
  [with_({ model: '' }), ['model: Must not be empty.']],
  [
    with_({ model: 'scripted:c' }),
    [
      'model: This server does not have the model. It has `scripted:a`, `scripted:b`. Did you mean `scripted:a`?',
    ],
  ],
  [with_({ tools: {} }), ['tools: Is an object. Must be a JSON array.']],
  [
    with_({ tools: [{ name: 'a', parameters: {} }] }),
    [
      'tools/0/input_schema: Is missing. Must be a JSON object.',
      'tools/0/parameters: Is not a known key. Leave it out.',
    ],
  ],
  [with_({ settings: [] }), ['settings: Is an array. Must be a JSON object.']],
  [with_({ plan_mode: 'yes' }), ['plan_mode: Is a string. Must be `true` or `false`.']],
])('a chat created with %j is refused in these words', async (body, words) => {
  expect(await told('POST', '/api/chats', { body })).toEqual(words);
});

it.each<[string, string, object | undefined, string]>([
  ['POST', '/api/chats', undefined, `content: Is missing. ${CONTENT}`],
  [
    'POST',
    '/api/chats/:id/messages',
    with_({ busy_behavior: 'later' }),
    'busy_behavior: Must be one of `queue`, `interrupt`.',
  ],
  ['PATCH', '/api/chats/:id/messages/1', { content: 1 }, `content: Is a number. ${CONTENT}`],
  ['POST', '/api/chats/:id/tool_results', {}, 'results: Is missing. Must be a JSON array.'],
  [
    'POST',
    '/api/chats/:id/tool_results',
    { results: [{ tool_call_id: 'a' }] },
    'results/0/output: Is missing. Must be any JSON value.',
  ],
  [
    'PATCH',
    '/api/chats/:id',
    { tool: [] },
    'tool: Is not a known key. Leave it out. Known keys: title, model, settings, labels, system_prompt, tools, plan_mode.',
  ],
  ['PATCH', '/api/chats/:id', { settings: null }, 'settings: Is `null`. Must be a JSON object.'],
  [
    'POST',
    '/api/response_formats/validate',
    { format: 1 },
    'format: Is not a known key. Leave it out. Known keys: response_format.',
  ],
  ['POST', '/api/chats/:id/interrupt', { a: 1 }, 'a: Is not a known key. Leave it out.'],
])('%s %s with %j is refused in these words', async (method, path, body, words) => {
  expect(await told(method, path, body === undefined ? {} : { body })).toEqual([words]);
});

it.each(['[]', 'null', '"x"', '1'])('a body that is %s is refused by its kind', async (raw) => {
  const [words] = await told('POST', '/api/chats', { raw });
  expect(words).toMatch(/^body: Is (?:an array|`null`|a string|a number)\. Must be a JSON object\.$/u);
});

it.each([
  ['/api/chats?limit=0', 'limit: Must be a whole number from 1 to 200.'],
  ['/api/chats?limit=x', 'limit: Must be a whole number from 1 to 200.'],
  ['/api/chats?limit=', 'limit: Must be a whole number from 1 to 200.'],
  ['/api/chats?limit=1.5', 'limit: Must be a whole number from 1 to 200.'],
  ['/api/chats?limit=1&limit=2', 'limit: Is repeated in the query string. Send it once.'],
  ['/api/chats?after=x', 'after: Must be `next` of the previous page.'],
  ['/api/chats?page=2', 'page: Is not a known parameter. Leave it out.'],
  [
    '/api/chats?status=x',
    'status: Must be one of `waiting`, `running`, `interrupting`, `requires_action`, `error`.',
  ],
  ['/api/chats/:id/messages?before=x', 'before: Must be a whole number from 1.'],
  ['/api/chats/:id/messages?after=5&before=2', 'after: Must be less than `before`.'],
  ['/api/chats/:id/requests/:rid?wait=61', 'wait: Must be a number of seconds from 0 to 60.'],
  ['/api/chats/:id/requests/:rid?wait=x', 'wait: Must be a number of seconds from 0 to 60.'],
  [
    '/api/chats/:id/stream?after=zzz',
    'after: Is not an event id of this stream. Leave it out to start a new stream.',
  ],
])('GET %s is refused in these words', async (path, words) => {
  expect(await told('GET', path)).toEqual([words]);
});
