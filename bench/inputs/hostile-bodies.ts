/** Hostile request bodies of a chat server: each is as costly as its bounds allow, or beyond them. */

/** A body, and where it is sent. */
export interface HostileBody {
  readonly name: string;
  readonly path: '/api/chats' | '/v1/chat/completions';
  readonly text: string;
}

const chat = (rest: object): string => JSON.stringify({ content: 'Hi', ...rest });
const completion = (rest: object): string =>
  JSON.stringify({ model: 'local:scripted', messages: [{ role: 'user', content: 'Hi' }], ...rest });
const nested = (depth: number): string => `{"content":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const format = (schema: object): object => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
});
const keys = (count: number): Readonly<Record<string, object>> =>
  Object.fromEntries(Array.from({ length: count }, (_none, index) => [`key${index}`, { type: 'string' }]));

/** The bodies. */
export const HOSTILE_BODIES: readonly HostileBody[] = [
  { name: '900 kB of text', path: '/api/chats', text: chat({ content: 'x'.repeat(900_000) }) },
  { name: '5 MB of text', path: '/api/chats', text: chat({ content: 'x'.repeat(5_000_000) }) },
  { name: 'lists nested 100,000 deep', path: '/api/chats', text: nested(100_000) },
  { name: '500,000 numbers', path: '/api/chats', text: chat({ settings: { a: Array(500_000).fill(1) } }) },
  { name: '19,000 settings', path: '/api/chats', text: chat({ settings: { a: Array(18_000).fill(1) } }) },
  {
    name: 'a schema of 5,000 properties',
    path: '/api/chats',
    text: chat(format({ type: 'object', properties: keys(5_000) })),
  },
  {
    name: '900 kB of escapes without a quote at the end',
    path: '/api/chats',
    text: `{"content":"${'\\u0000'.repeat(150_000)}`,
  },
  {
    name: '250 tools, OpenAI wire',
    path: '/v1/chat/completions',
    text: completion({
      tools: Array.from({ length: 250 }, (_none, index) => ({
        type: 'function',
        function: { name: `t${index}`, parameters: { type: 'object', properties: keys(20) } },
      })),
    }),
  },
  {
    name: '120 tools, OpenAI wire',
    path: '/v1/chat/completions',
    text: completion({
      tools: Array.from({ length: 120 }, (_none, index) => ({
        type: 'function',
        function: { name: `t${index}`, parameters: { type: 'object', properties: keys(20) } },
      })),
    }),
  },
  {
    name: '50,000 messages, OpenAI wire',
    path: '/v1/chat/completions',
    text: completion({ messages: Array.from({ length: 50_000 }, () => ({ role: 'user', content: 'Hi' })) }),
  },
  {
    name: '9,000 messages, OpenAI wire',
    path: '/v1/chat/completions',
    text: completion({ messages: Array.from({ length: 9_000 }, () => ({ role: 'user', content: 'Hi' })) }),
  },
  {
    name: '4 MB of brackets, OpenAI wire',
    path: '/v1/chat/completions',
    text: `{"model":[${'[],'.repeat(1_300_000)}0]}`,
  },
  {
    name: '500,000 numbers, OpenAI wire',
    path: '/v1/chat/completions',
    text: completion({ metadata: { a: Array(500_000).fill(1) } }),
  },
];
