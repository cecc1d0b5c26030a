/** Chunks of one turn: by event, and at each end of a turn. */
import { describe, expect, it } from 'vitest';
import type { MessagePart } from '../wire/message-parts.ts';
import type { MessageView } from '../wire/message.ts';
import type { Receipt } from '../wire/receipt.ts';
import type { ChatStreamEvent } from '../wire/stream-event.ts';
import {
  askedEvent,
  finishOf,
  playTurn,
  turnRow,
  saidEvent,
  START,
  statusEvent,
  stepOf,
} from './test-turn.ts';
import type { FollowedTurn } from './turn-chunks.ts';

const receipt: Receipt = { request_id: 'r', status: 'succeeded', schema_hash: 'x', attempts: [] };

describe('a turn', () => {
  it('begins with the row of its message, and ends when the chat waits', () => {
    const { chunks, isEnded } = playTurn([
      saidEvent(1),
      askedEvent(2),
      statusEvent('waiting'),
      askedEvent(3),
      saidEvent(4),
      saidEvent(4),
      statusEvent('waiting'),
      saidEvent(5),
    ]);
    expect(chunks).toEqual([START, ...stepOf('4-0'), finishOf('other')]);
    expect(isEnded).toBe(true);
  });

  it.each([
    ['stop', 'stop'],
    ['tool_calls', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['runaway', 'length'],
    ['error', 'error'],
    ['interrupted', 'interrupted'],
    ['other', 'other'],
    ['newer', 'other'],
  ] as const)('whose last step ended with `%s` ends with `%s`', (finish_reason, reason) => {
    const last = saidEvent(4, { finish_reason: finish_reason as NonNullable<MessageView['finish_reason']> });
    expect(playTurn([askedEvent(3), last, statusEvent('waiting')]).chunks.at(-1)).toEqual(finishOf(reason));
  });

  it('without a step was interrupted', () => {
    expect(playTurn([askedEvent(3), statusEvent('waiting')]).chunks).toEqual([
      START,
      finishOf('interrupted'),
    ]);
  });

  it('ends when the next message of the user begins another', () => {
    expect(
      playTurn([askedEvent(3), saidEvent(4, { finish_reason: 'stop' }), askedEvent(5), saidEvent(6)]).chunks,
    ).toEqual([START, ...stepOf('4-0'), finishOf('stop')]);
  });

  it('ends when its message is removed', () => {
    const reset = (id: number): ChatStreamEvent => ({ type: 'history_reset', deleted_message_ids: [id] });
    expect(playTurn([askedEvent(3), reset(2), reset(3)])).toEqual({
      chunks: [START, finishOf('interrupted')],
      isEnded: true,
    });
    const removed = { type: 'abort', reason: 'The message was removed.' };
    expect(playTurn([reset(2)])).toEqual({ chunks: [], isEnded: false });
    expect(playTurn([reset(3)])).toEqual({ chunks: [removed], isEnded: true });
  });

  it('ends with the error of the chat', () => {
    const error = { message: 'No model.', kind: 'other', is_retryable: false };
    expect(
      playTurn([askedEvent(3), statusEvent('running'), statusEvent('error', { error })]).chunks.at(-1),
    ).toEqual({
      type: 'error',
      errorText: 'No model.',
    });
    expect(playTurn([askedEvent(3), statusEvent('error')]).chunks.at(-1)).toEqual({
      type: 'error',
      errorText: 'The turn failed. Send the message again.',
    });
  });

  it('has its final receipt before its end, and no other', () => {
    const other = { ...receipt, request_id: 'other' };
    const running = { ...receipt, status: 'running' } as const;
    const events: ChatStreamEvent[] = [
      askedEvent(3, { request_id: 'r' }),
      { type: 'receipt', receipt: running },
      { type: 'receipt', receipt: other },
    ];
    expect(playTurn([...events, statusEvent('waiting')]).chunks).toEqual([START, finishOf('interrupted')]);
    const ended = playTurn([...events, { type: 'receipt', receipt }, statusEvent('waiting')], {
      requestId: 'r',
    });
    expect(ended.chunks.slice(1)).toEqual([
      { type: 'data-receipt', id: 'r', data: receipt },
      finishOf('interrupted'),
    ]);
  });

  it('that continues an answer begins at once, with its id', () => {
    const { chunks } = playTurn([saidEvent(4), statusEvent('waiting')], { continues: 'answer-9' });
    expect(chunks[0]).toEqual({ ...START, messageId: 'answer-9' });
    expect(chunks.slice(1)).toEqual([...stepOf('4-0'), finishOf('other')]);
  });

  it('of a queued message begins with the row that it becomes, and ends if it leaves the queue', () => {
    const message: FollowedTurn['message'] = {
      type: 'queued',
      id: 7,
      isSame: ({ client_id }) => client_id === 'mine',
    };
    const queue = (...ids: readonly number[]): ChatStreamEvent =>
      ({
        type: 'queue_update',
        version: 1,
        queued_messages: ids.map((id) => ({ id })),
      }) as unknown as ChatStreamEvent;
    const begun = playTurn(
      [
        queue(7),
        askedEvent(8, { client_id: 'other' }),
        askedEvent(9, { client_id: 'mine', request_id: 'r' }),
        queue(),
      ],
      { message },
    );
    expect(begun).toEqual({ chunks: [{ ...START, messageId: 'answer-9' }], isEnded: false });
    expect(playTurn([queue(6, 7), queue(6)], { message }).chunks).toEqual([
      { type: 'abort', reason: 'The message was removed.' },
    ]);
  });
});

describe('tools', () => {
  const call = (name: string, more: object = {}): MessagePart => ({
    type: 'tool_call',
    tool_call_id: 'c',
    tool_name: name,
    args: '{"a":1}',
    ...more,
  });
  const result = (name: string, more: object = {}): MessagePart => ({
    type: 'tool_result',
    tool_call_id: 'c',
    tool_name: name,
    result: { b: 2 },
    is_error: false,
    ...more,
  });
  const rows = (name: string, more: object = {}): ChatStreamEvent[] => [
    askedEvent(3),
    { type: 'message', message: turnRow(4, 'assistant', [call(name)], { finish_reason: 'tool_calls' }) },
    { type: 'message', message: turnRow(5, 'tool', [result(name, more)]) },
    statusEvent('waiting'),
  ];
  const marks = { providerExecuted: true, dynamic: true };

  it('of the server are complete in the history', () => {
    expect(playTurn(rows('run')).chunks.slice(1)).toEqual([
      { type: 'start-step' },
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'run', input: { a: 1 }, ...marks },
      { type: 'tool-output-available', toolCallId: 'c', output: { b: 2 }, ...marks },
      { type: 'finish-step' },
      finishOf('stop'),
    ]);
  });

  it('of the page run when the chat waits for them, once', () => {
    expect(playTurn(rows('look', { is_error: true, result: 'no disk' })).chunks.slice(1, -1)).toEqual([
      { type: 'start-step' },
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'look' },
      { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"a":1}' },
      { type: 'tool-output-error', toolCallId: 'c', errorText: 'no disk' },
      { type: 'finish-step' },
    ]);
    const waits: ChatStreamEvent = {
      type: 'action_required',
      tool_calls: [{ tool_call_id: 'c', tool_name: 'look', args: '{"a":1}' }],
    };
    expect(playTurn([askedEvent(3), waits])).toEqual({
      chunks: [
        START,
        { type: 'tool-input-available', toolCallId: 'c', toolName: 'look', input: { a: 1 } },
        { type: 'finish', finishReason: 'tool-calls', messageMetadata: { awaiting: ['c'], cursor: 'e1' } },
      ],
      isEnded: true,
    });
  });

  it.each(['interrupted', 'canceled', 'deadline', 'not_run'])(
    'with results that are %s end the turn so',
    (synthetic) => {
      const reason = synthetic === 'not_run' ? 'stop' : 'interrupted';
      expect(playTurn(rows('run', { synthetic })).chunks.at(-1)).toEqual(finishOf(reason));
    },
  );
});

describe('a refused attempt', () => {
  const attempt = { code: 'invalid', issues: [{ path: '/n', rule: 'Expected integer' }] } as const;
  const call: MessagePart = {
    type: 'tool_call',
    tool_call_id: 'c',
    tool_name: 'submit_structured_output',
    args: '{"output":{"n":"x"}}',
  };
  const result: MessagePart = {
    type: 'tool_result',
    tool_call_id: 'c',
    tool_name: 'submit_structured_output',
    result: 'Call the tool again.',
    is_error: true,
    attempt,
  };

  it('is data after its step, and its error is not the prompt for the model', () => {
    const { chunks } = playTurn([
      askedEvent(3, { request_id: 'r' }),
      { type: 'message', message: turnRow(4, 'assistant', [call]) },
      { type: 'message', message: turnRow(5, 'tool', [result]) },
    ]);
    expect(chunks.slice(3)).toMatchObject([
      { type: 'tool-output-error', errorText: '/n expected integer' },
      { type: 'finish-step' },
      {
        type: 'data-refused',
        id: 'refused-5',
        data: { number: 1, code: 'invalid', issues: [{ path: '/n', got: '"x"' }], draft: { n: 'x' } },
      },
    ]);
  });

  it('counts those before a tool of the page, and removes the preview of a reply without parts', () => {
    const grown: ChatStreamEvent = { type: 'partial', request_id: 'r', value: {}, is_validated: false };
    const { chunks } = playTurn(
      [
        grown,
        { type: 'message', message: turnRow(4, 'assistant', [], { attempt: { code: 'refused' } }) },
        saidEvent(6),
      ],
      { continues: 'answer-9', requestId: 'r', refusedBefore: 2 },
    );
    expect(chunks.slice(1)).toMatchObject([
      { type: 'start-step' },
      { type: 'data-partial' },
      { type: 'reset-step' },
      { type: 'finish-step' },
      { type: 'data-refused', id: 'refused-4', data: { number: 3, code: 'refused', issues: [] } },
      ...stepOf('6-0'),
    ]);
  });
});
