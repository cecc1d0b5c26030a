/** Failures in the lists of chats and requests: each can be told from the others, and found by filters. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import type { ListedChatPageView } from '../../packages/client/src/wire/chat.ts';
import type { RequestPageView } from '../../packages/client/src/wire/request.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { httpServer, type HttpServer } from './http-server.ts';

const schema = {
  type: 'object',
  properties: { line: { type: 'integer' }, why: { type: 'string' } },
  required: ['line'],
  additionalProperties: false,
};
const format = (name: string): object => ({ type: 'json_schema', json_schema: { name, schema } });
/** Questions, what the model always answers, and the issue that a list shows. */
const CASES = [
  ['Where is it?', '{"line":"twelve"}', { path: '/line', message: 'Expected integer', got: '"twelve"' }],
  ['How many?', '{"line":"a dozen"}', { path: '/line', message: 'Expected integer', got: '"a dozen"' }],
  ['Nested?', '{"line":{"a":1}}', { path: '/line', message: 'Expected integer', got: '{"a":1}' }],
  ['Exact?', '{"line":1,"why":12345678901234567891}', { path: '/why', got: '12345678901234567891' }],
  ['Absent?', '{"why":"x"}', { path: '', message: 'Missing required property `line`', got: '{"why":"x"}' }],
  ['Long?', `{"line":"${'x'.repeat(500)}"}`, { path: '/line', got: `"${'x'.repeat(78)}…` }],
  ['Huge?', `{"line":"${'x'.repeat(20_000)}"}`, { path: '/line', message: 'Expected integer' }],
  ['Valid?', '{"line":42}', undefined],
] as const;

describeOnBothStores('failures in lists', ({ freshUrl }) => {
  let store: Store;
  let server: HttpServer;
  beforeAll(async () => {
    store = await openStore({ url: await freshUrl() });
    server = await httpServer({
      store,
      // Of the huge answer: else its 20,000 characters come in 1,250 pieces, five times.
      chunkChars: 4_096,
      script: ({ messages }) => {
        // Corrections are messages of the user too.
        const asked = JSON.stringify(messages);
        const [, answer = ''] = CASES.find(([question]) => asked.includes(question)) ?? [];
        return reply.toolText(FINALIZER_NAME, `{"output":${answer}}`);
      },
    });
    for (const [content] of CASES) {
      const labels = { team: content === 'Valid?' ? 'green' : 'red' };
      const { chatId, requestId } = await server.begin({
        content,
        labels,
        response_format: format(content === 'Exact?' ? 'exact' : 'answer'),
      });
      await server.receipt(chatId, requestId);
    }
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await store.close();
  });
  const read = async <T>(path: string): Promise<T> => JSON.parse((await server.ask('GET', path)).text) as T;
  const questions = ({ requests }: RequestPageView) => requests.map((each) => each.question_preview);

  it('have their first issue, the value that the model gave, and their question', async () => {
    const { requests } = await read<RequestPageView>('/api/requests?preview=true');
    const { chats } = await read<ListedChatPageView>('/api/chats?preview=true');
    for (const [question, , issue] of CASES) {
      const status = issue === undefined ? 'succeeded' : 'failed';
      const request = requests.find((each) => each.question_preview === question);
      const chat = chats.find((each) => each.title === question);
      expect(request).toMatchObject({ status });
      expect(chat).toMatchObject({
        last_request_status: status,
        last_request_id: request?.request_id,
        attempt_count: request?.attempts.length,
        question_preview: question,
      });
      expect(request?.first_issue).toEqual(issue && expect.objectContaining(issue));
      expect(chat?.first_issue).toEqual(request?.first_issue);
      // A long message is not read for a list.
      if (question === 'Huge?') expect(request?.first_issue).not.toHaveProperty('got');
    }
  });

  it('repeat nothing of a caller or a model without `preview`', async () => {
    for (const list of ['chats', 'requests']) {
      const { text } = await server.ask('GET', `/api/${list}`);
      expect(text).not.toMatch(/twelve|first_issue|question_preview|last_request/u);
    }
  });

  it('are first when the server orders by attempts, on each page', async () => {
    const order = async (query: string): Promise<readonly (string | undefined)[]> => {
      const first = await read<RequestPageView>(`/api/requests?preview=true&limit=7&${query}`);
      const rest = await read<RequestPageView>(`/api/requests?preview=true&after=${first.next}&${query}`);
      return [...questions(first), ...questions(rest)];
    };
    expect((await order('sort=attempts')).at(-1)).toBe('Valid?');
    expect((await order('sort=attempts&direction=asc')).at(0)).toBe('Valid?');
    expect(await order('sort=duration')).toHaveLength(8);
    const { chats } = await read<ListedChatPageView>('/api/chats?preview=true&sort=attempts');
    expect(chats.map((chat) => chat.attempt_count)).toEqual([...Array<number>(7).fill(5), 1]);
    expect(chats.every(({ duration_ms: ms }) => ms !== undefined)).toBe(true);
    // The script has no prices.
    expect((await read<ListedChatPageView>('/api/chats?sort=cost')).chats).toEqual([]);
    expect((await read<RequestPageView>('/api/requests?sort=cost')).requests).toEqual([]);
  });

  it('are found by state, schema, label, time and cost', async () => {
    const chats = async (query: string): Promise<number> =>
      (await read<ListedChatPageView>(`/api/chats?${query}`)).chats.length;
    expect(await chats('last_request_status=failed')).toBe(7);
    expect(await chats('last_request_status=succeeded')).toBe(1);
    expect(await chats('last_request_status=failed&label=team:green')).toBe(0);
    expect(await chats('name=exact')).toBe(1);
    expect(await chats('since=2020-01-01T00:00:00Z')).toBe(8);
    expect(await chats('until=2020-01-01T00:00:00Z')).toBe(0);
    const requests = (query: string): Promise<RequestPageView> => read(`/api/requests?preview=true&${query}`);
    expect(questions(await requests('label=team:green'))).toEqual(['Valid?']);
    expect(questions(await requests('min_cost_usd=1000'))).toEqual([]);
    expect(await chats('min_cost_usd=1000')).toBe(0);
    expect((await server.ask('GET', '/api/requests?min_cost_usd=-1')).json['code']).toBe('invalid_parameter');
  });
});
