import { Output } from '@truecast/core/internal/output/output';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { receiptOf } from '../test-chat.ts';
import type { MessagePart } from '../wire/message-parts.ts';
import type { MessageRole, MessageView } from '../wire/message.ts';
import { toUIMessages } from './to-ui-messages.ts';

const row = (id: number, role: MessageRole, content: readonly MessagePart[]): MessageView => ({
  id,
  chat_id: 'chat',
  role,
  content,
  is_compressed: false,
  created_at: '2026-01-01T00:00:00Z',
});

describe('a file of a message', () => {
  const url = 'https://example.invalid/a.png';

  it('has its name if the row has one', async () => {
    const named = { type: 'file', media_type: 'image/png', filename: 'a.png', url } as const;
    const [message] = await toUIMessages([row(1, 'user', [named])]);
    expect(message?.parts).toStrictEqual([{ type: 'file', mediaType: 'image/png', filename: 'a.png', url }]);
  });

  it('has no member for a name that the row does not have', async () => {
    const [message] = await toUIMessages([row(1, 'user', [{ type: 'file', media_type: 'image/png', url }])]);
    expect(message?.parts).toStrictEqual([{ type: 'file', mediaType: 'image/png', url }]);
  });
});

const text = (said: string): MessagePart => ({ type: 'text', text: said });
const call = (id: string, name: string, args = '{"at":1}'): MessagePart => ({
  type: 'tool_call',
  tool_call_id: id,
  tool_name: name,
  args,
});
const result = (id: string, value: unknown, more: object = {}): MessagePart =>
  ({
    type: 'tool_result',
    tool_call_id: id,
    tool_name: 'look',
    result: value,
    is_error: false,
    ...more,
  }) as never;
const look = { inputSchema: z.object({ at: z.number() }) };

describe('a history', () => {
  it('has a message for each of the user, and one for all rows that answer it', async () => {
    const messages = await toUIMessages([
      row(1, 'assistant', [text('before')]),
      { ...row(2, 'user', [text('Hi')]), client_id: 'mine' },
      row(3, 'assistant', [text('One')]),
      row(4, 'assistant', [{ type: 'reasoning', text: 'Hm' }, text('Two')]),
      row(5, 'user', [text('And?')]),
    ]);
    expect(messages).toEqual([
      { id: 'mine', role: 'user', parts: [{ type: 'text', text: 'Hi', state: 'done' }] },
      {
        id: 'answer-2',
        role: 'assistant',
        metadata: { chatId: 'chat', awaiting: [] },
        parts: [
          { type: 'step-start' },
          { type: 'text', text: 'One', state: 'done' },
          { type: 'step-start' },
          { type: 'reasoning', id: '4-0', text: 'Hm', state: 'done' },
          { type: 'text', text: 'Two', state: 'done' },
        ],
      },
      { id: 'user-5', role: 'user', parts: [{ type: 'text', text: 'And?', state: 'done' }] },
    ]);
  });

  it('has each call with the result of its own step, though ids come again', async () => {
    const [, answer] = await toUIMessages(
      [
        row(1, 'user', [text('Hi')]),
        row(2, 'assistant', [call('c', 'look'), call('d', 'search', 'no JSON')]),
        row(3, 'tool', [result('c', 'first'), result('d', { reason: 'gone' }, { is_error: true })]),
        row(4, 'assistant', [call('c', 'look')]),
        row(5, 'tool', [result('c', 'second')]),
        row(6, 'assistant', [call('c', 'look')]),
      ],
      { tools: { look } },
    );
    const own = { type: 'tool-look', toolCallId: 'c', input: { at: 1 } };
    expect(answer?.parts.filter(({ type }) => type !== 'step-start')).toEqual([
      { ...own, state: 'output-available', output: 'first' },
      {
        type: 'dynamic-tool',
        toolName: 'search',
        providerExecuted: true,
        toolCallId: 'd',
        input: 'no JSON',
        state: 'output-error',
        errorText: '{"reason":"gone"}',
      },
      { ...own, state: 'output-available', output: 'second' },
      { ...own, state: 'input-available' },
    ]);
  });

  it('has sources with an address, with their titles', async () => {
    const url = 'https://example.invalid/';
    const [, answer] = await toUIMessages([
      row(1, 'user', [text('Hi')]),
      row(2, 'assistant', [
        { type: 'source', source_id: 'a', url, title: 'A' },
        { type: 'source', source_id: 'b', url },
        { type: 'source', source_id: 'c' },
      ] as never),
    ]);
    expect(answer?.parts.slice(1)).toStrictEqual([
      { type: 'source-url', sourceId: 'a', url, title: 'A' },
      { type: 'source-url', sourceId: 'b', url },
    ]);
  });

  it('ends an answer with its receipt, and makes a message of a receipt alone', async () => {
    const asked = { ...row(1, 'user', [text('Hi')]), request_id: 'r' };
    const receipt = receiptOf();
    const parts = [{ type: 'data-receipt', id: 'r', data: receipt }];
    const options = { receipts: [receiptOf({ request_id: 'other' }), receipt] };
    expect((await toUIMessages([asked], options))[1]).toMatchObject({ id: 'answer-1', parts });
    const [, answer] = await toUIMessages([asked, row(2, 'assistant', [text('7')])], options);
    expect(answer?.parts.slice(2)).toEqual(parts);
    expect(await toUIMessages([row(3, 'user', [text('Hi')])], options)).toHaveLength(1);
  });

  it('has values that the schema of the output accepted', async () => {
    const asked = { ...row(1, 'user', [text('Hi')]), request_id: 'r' };
    const history = (limit: number) =>
      toUIMessages([asked], {
        receipts: [receiptOf()],
        output: Output.object({ schema: z.object({ n: z.number().max(limit).transform(String) }) }),
      });
    expect((await history(7))[1]?.parts).toMatchObject([
      { type: 'data-receipt', data: { value: { n: '7' } } },
    ]);
    await expect(history(6)).rejects.toThrow('to accept the value of the request r.');
  });

  it('has refused attempts in their places, in the terms of the output', async () => {
    const attempt = { code: 'invalid', issues: [{ path: '/value/0', rule: 'Expected number' }] };
    const refused = { ...row(2, 'assistant', [text('{"value":["x"]}')]), attempt } as MessageView;
    const later = row(4, 'tool', [result('c', 'r', { attempt: { code: 'text_only' } })]);
    const rows = [row(1, 'user', [text('Hi')]), refused, row(3, 'assistant', [text('…')]), later];
    const issue = { rule: 'Expected number', got: '"x"' };
    const partOf = (id: number, data: object): object => ({
      type: 'data-refused',
      id: `refused-${id}`,
      data,
    });
    const second = partOf(4, { number: 2, code: 'text_only', issues: [] });
    const plain = (await toUIMessages(rows))[1]?.parts.filter(({ type }) => type === 'data-refused');
    const first = { number: 1, code: 'invalid' };
    expect(plain).toEqual([
      partOf(2, { ...first, issues: [{ ...issue, path: '/value/0' }], draft: { value: ['x'] } }),
      second,
    ]);
    const output = Output.array({ element: z.number() });
    const typed = (await toUIMessages(rows, { output }))[1]?.parts;
    expect(typed?.filter(({ type }) => type === 'data-refused')).toEqual([
      partOf(2, { ...first, issues: [{ ...issue, path: '/0' }], draft: ['x'] }),
      second,
    ]);
  });

  it.each([
    ['no list', { id: 1 }, undefined, '`messages`'],
    ['a list of something else', ['x'], undefined, '`messages`'],
    ['options of another kind', [], 'x', '`options`'],
  ])('is refused for %s', async (_name, rows, options, said) => {
    await expect(toUIMessages(rows as never, options as never)).rejects.toThrow(said);
  });
});
