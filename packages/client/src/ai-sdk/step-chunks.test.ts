/** Chunks of one step: a preview, the row that replaces it, and the ids of both. */
import { describe, expect, it } from 'vitest';
import type { MessagePart } from '../wire/message-parts.ts';
import type { ChatStreamEvent } from '../wire/stream-event.ts';
import { askedEvent, playTurn, turnRow, saidEvent, START, statusEvent, stepOf } from './test-turn.ts';
import { addressOf, toClientId, userMessageId } from './ui-message.ts';

describe('a preview', () => {
  const part = (kind: string, delta: string, more: object = {}): ChatStreamEvent =>
    ({ type: 'part', kind, delta, ...more }) as ChatStreamEvent;

  it('grows until its row replaces it', () => {
    const events = [
      askedEvent(3),
      part('reasoning', 'Hm'),
      part('text', 'H'),
      part('text', 'i'),
      saidEvent(4),
      statusEvent('waiting'),
    ];
    expect(playTurn(events).chunks.slice(1, -1)).toEqual([
      { type: 'start-step' },
      { type: 'reasoning-start', id: 'preview-1' },
      { type: 'reasoning-delta', id: 'preview-1', delta: 'Hm' },
      { type: 'reasoning-end', id: 'preview-1' },
      { type: 'text-start', id: 'preview-2' },
      { type: 'text-delta', id: 'preview-2', delta: 'H' },
      { type: 'text-delta', id: 'preview-2', delta: 'i' },
      { type: 'reset-step' },
      ...stepOf('4-0').slice(1),
    ]);
  });

  it('of a call begins with its name', () => {
    const name = { tool_call_id: 'c', tool_name: 'look' };
    const events = [
      askedEvent(3),
      part('text', 'a'),
      part('tool_call', '', name),
      part('tool_call', '{', { tool_call_id: 'c' }),
      part('tool_call', '}', { tool_call_id: 'd' }),
    ];
    expect(playTurn(events).chunks.slice(4)).toEqual([
      { type: 'text-end', id: 'preview-1' },
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'look' },
      { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' },
    ]);
  });

  it('is discarded once, and begins again', () => {
    const reset: ChatStreamEvent = { type: 'preview_reset' };
    const lost = part('tool_call', '{', { tool_call_id: 'c' });
    const events = [
      askedEvent(3),
      reset,
      part('tool_call', '', { tool_call_id: 'c', tool_name: 'run' }),
      reset,
      lost,
      reset,
      part('text', 'b'),
    ];
    expect(playTurn(events).chunks.slice(1)).toEqual([
      { type: 'start-step' },
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'run', providerExecuted: true, dynamic: true },
      { type: 'reset-step' },
      { type: 'text-start', id: 'preview-1' },
      { type: 'text-delta', id: 'preview-1', delta: 'b' },
    ]);
  });

  it('of an answer is its growing value, without its text', () => {
    const value = (request_id: string): ChatStreamEvent => ({
      type: 'partial',
      request_id,
      value: { n: 1 },
      is_validated: false,
    });
    const events = [
      askedEvent(3),
      part('text', '{"n":1', { request_id: 'r' }),
      part('newer', 'x'),
      value('other'),
      value('r'),
    ];
    expect(playTurn(events, { requestId: 'r' }).chunks.slice(1)).toEqual([
      { type: 'start-step' },
      { type: 'data-partial', id: 'partial-r', data: { n: 1 } },
    ]);
  });

  it('shows that a call of the model is repeated', () => {
    const retry = {
      type: 'retry',
      attempt: 1,
      delay_ms: 5,
      retry_at: '2026-01-01T00:00:01Z',
      error: { message: 'Busy.' },
    };
    expect(playTurn([askedEvent(3), retry as unknown as ChatStreamEvent]).chunks.slice(1)).toEqual([
      { type: 'data-retry', data: retry, transient: true },
    ]);
  });
});

it('rows have their sources and files, and no parts that only the server reads', () => {
  const content: MessagePart[] = [
    { type: 'corrective', request_id: 'r', text: 'Again.', attempt: { code: 'ok' } },
    { type: 'source', source_id: 's1', url: 'https://example.com', title: 'T' },
    { type: 'source', source_id: 's2', url: 'https://example.com' },
    { type: 'source', source_id: 's3' },
    { type: 'file', media_type: 'image/png', data: 'AA==' },
    { type: 'file', media_type: 'image/png', url: 'https://example.com/a.png' },
    { type: 'file', media_type: 'image/png' },
  ];
  const { chunks } = playTurn([
    askedEvent(3),
    { type: 'message', message: turnRow(4, 'assistant', content) },
  ]);
  expect(chunks.slice(2)).toEqual([
    { type: 'source-url', sourceId: 's1', url: 'https://example.com', title: 'T' },
    { type: 'source-url', sourceId: 's2', url: 'https://example.com' },
    { type: 'file', url: 'data:image/png;base64,AA==', mediaType: 'image/png' },
    { type: 'file', url: 'https://example.com/a.png', mediaType: 'image/png' },
    { type: 'file', url: 'data:image/png;base64,', mediaType: 'image/png' },
    { type: 'finish-step' },
  ]);
  expect(Object.keys(chunks[3] ?? {})).not.toContain('title');
  const hidden = turnRow(4, 'assistant', content.slice(0, 1));
  expect(playTurn([askedEvent(3), { type: 'message', message: hidden }]).chunks).toEqual([START]);
});

it('ids of a page are addresses on the server', () => {
  expect(addressOf('user-17')).toBe(17);
  const others = ['user-x', 'user-1234567890123456', 'a-user-1', 'user-1b'];
  for (const id of others) expect(addressOf(id)).toBe(`~${id}`);
  expect(addressOf('a b')).toBe('~a%2520b');
  expect(toClientId('é'.repeat(100))).toHaveLength(128);
  expect(userMessageId(turnRow(5, 'user', []))).toBe('user-5');
  expect(userMessageId(turnRow(5, 'user', [], { client_id: 'mine' }))).toBe('mine');
});
