/** Messages of `useChat` as input of a chat. */
import type { UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { toContent, toolOutputsOf } from './message-content.ts';

describe('contents of a message', () => {
  it('are its texts and files, in order', () => {
    const parts: UIMessage['parts'] = [
      { type: 'step-start' },
      { type: 'text', text: 'Look.' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', filename: 'a.png' },
      { type: 'file', mediaType: 'text/plain', url: 'data:text/plain;charset=utf-8;base64,Cg==\n' },
      { type: 'file', mediaType: 'text/plain', url: 'data:text/plain,a' },
      { type: 'file', mediaType: 'image/png', url: 'https://example.com/data:a;base64,b' },
    ];
    expect(toContent({ parts })).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'file', media_type: 'image/png', filename: 'a.png', data: 'AA==' },
      { type: 'file', media_type: 'text/plain', data: 'Cg==\n' },
      { type: 'file', media_type: 'text/plain', url: 'data:text/plain,a' },
      { type: 'file', media_type: 'image/png', url: 'https://example.com/data:a;base64,b' },
    ]);
  });

  it('are not empty', () => {
    expect(() => toContent({ parts: [{ type: 'step-start' }] })).toThrow(
      /Expected the message to have a text or a file/u,
    );
  });
});

describe('outputs of tools', () => {
  const done = {
    type: 'tool-look',
    state: 'output-available',
    toolCallId: 'c1',
    input: {},
    output: { n: 1 },
  } as const;
  const empty = { ...done, toolCallId: 'c2', output: undefined };
  const failed = {
    type: 'tool-look',
    state: 'output-error',
    toolCallId: 'c3',
    input: {},
    errorText: 'no disk',
  } as const;
  const message = (
    parts: readonly object[],
    metadata?: unknown,
    role: UIMessage['role'] = 'assistant',
  ): UIMessage => ({ id: '1', role, parts, ...(metadata !== undefined && { metadata }) }) as UIMessage;

  it('are those of the last step', () => {
    const earlier = { ...done, toolCallId: 'c0' };
    expect(
      toolOutputsOf(message([{ type: 'step-start' }, earlier, { type: 'step-start' }, done, empty, failed])),
    ).toEqual({
      results: [
        { tool_call_id: 'c1', output: { n: 1 } },
        { tool_call_id: 'c2', output: null },
        { tool_call_id: 'c3', output: 'no disk', is_error: true },
      ],
      cursor: undefined,
    });
  });

  it('are those that the chat waits for, from the position that it named', () => {
    expect(toolOutputsOf(message([done, failed], { awaiting: ['c3'], cursor: '7' }))).toEqual({
      results: [{ tool_call_id: 'c3', output: 'no disk', is_error: true }],
      cursor: '7',
    });
  });

  it.each<[string, UIMessage]>([
    ['a message of the user', message([done], undefined, 'user')],
    ['a call without an output', message([{ ...done, state: 'input-available' }])],
    ['a text', message([{ type: 'text', text: 'a', state: 'done' }])],
    ['a call of the provider', message([{ ...done, providerExecuted: true }])],
    ['a call that the chat does not wait for', message([done], { awaiting: [] })],
  ])('are absent for %s', (_, given) => {
    expect(toolOutputsOf(given)).toBeUndefined();
  });

  it.each<unknown>(['text', null, { awaiting: 'c1', cursor: 7 }, { awaiting: [1] }, {}])(
    'ignore metadata of another shape: %j',
    (metadata) => {
      expect(toolOutputsOf(message([done], metadata))).toEqual({
        results: [{ tool_call_id: 'c1', output: { n: 1 } }],
        cursor: undefined,
      });
    },
  );
});
