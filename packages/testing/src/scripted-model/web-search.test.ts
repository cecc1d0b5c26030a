import { describe, expect, it } from 'vitest';
import { reply, type MessageReply } from './turn/scripted-reply.ts';
import {
  anthropicBody,
  chatBody,
  chunksOf,
  geminiBody,
  post,
  postAnthropic,
  postChat,
  postResponses,
  responsesBody,
  startScripted,
} from './test-client.ts';

const pages = [{ url: 'https://cats.test/', title: 'Cats' }];
const script = (): MessageReply =>
  reply.steps([reply.webSearch({ query: 'cats', pages }), reply.text('So.')]);
const failing = (): MessageReply => reply.webSearch({ query: 'cats', errorCode: 'unavailable' });

describe('a search of the service', () => {
  it('is a call and its result, in one message of Anthropic Messages', async () => {
    await using server = await startScripted(script);
    const { body } = await postAnthropic(server, anthropicBody());
    expect(body).toMatchObject({
      stop_reason: 'end_turn',
      content: [
        { type: 'server_tool_use', name: 'web_search', input: { query: 'cats' } },
        { type: 'web_search_tool_result', content: [{ type: 'web_search_result', ...pages[0] }] },
        { type: 'text', text: 'So.' },
      ],
    });
    const { events } = await postAnthropic(server, anthropicBody({ stream: true }));
    const starts = events.filter(({ event }) => event === 'content_block_start').map(({ data }) => data);
    expect(starts).toMatchObject([
      { index: 0, content_block: { type: 'server_tool_use', input: {} } },
      { index: 1, content_block: { type: 'web_search_tool_result' } },
      { index: 2, content_block: { type: 'text' } },
    ]);
  });

  it('pauses the message of Anthropic that it ends without a result', async () => {
    await using server = await startScripted(() => reply.webSearch({ query: 'cats', result: 'none' }));
    const { body } = await postAnthropic(server, anthropicBody());
    expect(body).toMatchObject({ stop_reason: 'pause_turn', content: [{ type: 'server_tool_use' }] });
  });

  it('is an item of OpenAI Responses, whose action is sent when it is done', async () => {
    await using server = await startScripted(script);
    const { events } = await postResponses(server, responsesBody({ stream: true }));
    const told = events.filter(({ data }) => data['output_index'] === 0);
    expect(told.map(({ event }) => event)).toEqual([
      'response.output_item.added',
      'response.web_search_call.in_progress',
      'response.web_search_call.searching',
      'response.web_search_call.completed',
      'response.output_item.done',
    ]);
    expect(told[0]?.data).toMatchObject({ item: { type: 'web_search_call', status: 'in_progress' } });
    expect(told.at(-1)?.data).toMatchObject({
      item: {
        status: 'completed',
        action: { type: 'search', query: 'cats', sources: [{ url: pages[0]?.url }] },
      },
    });
  });

  it.each([
    ['gemini-2.5-flash', ['text'], true],
    ['gemini-3.8-flash', ['toolCall', 'toolResponse', 'text'], false],
  ])('of %s consists of parts, or is next to them', async (model, kinds, isGrounded) => {
    await using server = await startScripted(script);
    const url = `${server.geminiUrl}/v1beta/models/${model}:streamGenerateContent?alt=sse`;
    const chunks = chunksOf(await post(url, geminiBody()));
    const told = JSON.stringify(chunks);
    expect([...told.matchAll(/"parts":\[\{"(\w+)"/gu)].map(([, kind]) => kind)).toEqual(kinds);
    expect(told.includes('"groundingChunks":[{"web":{"uri":"https://cats.test/"')).toBe(isGrounded);
  });

  it('reports that it failed', async () => {
    await using server = await startScripted(failing);
    const anthropic = await postAnthropic(server, anthropicBody());
    expect(JSON.stringify(anthropic.body)).toContain(
      '{"type":"web_search_tool_result_error","error_code":"unavailable"}',
    );
    const openai = await postResponses(server, responsesBody());
    expect(openai.body).toMatchObject({ output: [{ type: 'web_search_call', status: 'failed' }] });
  });

  it('fails a script over Chat Completions', async () => {
    await using server = await startScripted(script);
    expect((await postChat(server, chatBody())).text).toContain(
      'Chat Completions does not support web search',
    );
  });
});

describe('a search posted to Anthropic Messages', () => {
  const user = { role: 'user', content: 'Hi' };
  const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
  const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  const own = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
  const answer = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] };
  const said = (...content: object[]): object => ({ role: 'assistant', content });

  it.each([
    ['with its result', [user, said(call, result), user], 200],
    ['with its result in a later message', [user, said(call), said(result), user], 200],
    ['that is to go on', [user, said(call)], 200],
    ['that is to go on beside an answered call', [user, said(call, own), answer], 200],
    ['without its result', [user, said(call), user], 400],
    ['without its call', [user, said(result), user], 400],
  ])('is accepted, or refused: %s', async (_name, messages, status) => {
    await using server = await startScripted();
    const { status: got, text } = await postAnthropic(server, anthropicBody({ messages }));
    expect([got, text.includes('web_search_tool_result')]).toEqual([status, status === 400]);
  });
});
