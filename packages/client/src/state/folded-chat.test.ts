import { expect, it } from 'vitest';
import type { MessageRole, MessageView } from '../wire/message.ts';
import type { Receipt } from '../wire/receipt.ts';
import type { ChatStreamEvent } from '../wire/stream-event.ts';
import { draftOf, EMPTY_CHAT, foldChatEvent } from './folded-chat.ts';

const row = (id: number, role: MessageRole): MessageView => ({
  id,
  chat_id: 'chat',
  role,
  content: [],
  is_compressed: false,
  created_at: '2026-01-01T00:00:00Z',
});
const fold = (...events: ChatStreamEvent[]): typeof EMPTY_CHAT => events.reduce(foldChatEvent, EMPTY_CHAT);
const said = (delta: string): ChatStreamEvent => ({ type: 'part', kind: 'text', delta });

it('keeps messages in order, each once, and without those that an edit removed', () => {
  const { messages } = fold(
    { type: 'message', message: row(2, 'assistant') },
    { type: 'message', message: row(1, 'user') },
    { type: 'message', message: row(2, 'assistant') },
    { type: 'history_reset', deleted_message_ids: [1] },
  );
  expect(messages.map(({ id }) => id)).toEqual([2]);
});

it('shows the text that grows until its row is committed, or it is reset', () => {
  expect(fold(said('He'), said('y')).text).toBe('Hey');
  expect(fold(said('He'), { type: 'preview_reset' }).text).toBe('');
  expect(fold(said('He'), { type: 'message', message: row(2, 'assistant') }).text).toBe('');
});

it('keeps drafts and receipts by request, and the calls that the chat waits for', () => {
  const receipt: Receipt = { request_id: 'r', status: 'running', schema_hash: 'x', attempts: [] };
  const call = { tool_call_id: 'c', tool_name: 'look', args: '{}' };
  const waiting = fold(
    { type: 'receipt', receipt },
    { type: 'partial', request_id: 'r', value: { n: 1 }, is_validated: false },
    { type: 'status', status: 'requires_action', version: 2 },
    { type: 'action_required', tool_calls: [call] },
  );
  expect(waiting).toMatchObject({ receipts: { r: receipt }, drafts: { r: { n: 1 } }, toolCalls: [call] });
  expect(foldChatEvent(waiting, { type: 'status', status: 'running', version: 3 }).toolCalls).toEqual([]);
});

const part = (delta: string, offset: number): ChatStreamEvent => ({
  type: 'part',
  kind: 'text',
  delta,
  request_id: 'r',
  offset,
});

it('reads the value of a request from the text of its answer, and keeps the text after a lost piece', () => {
  const growing = fold(part('{"n":1,', 0), part('"m":"x', 7));
  expect(draftOf(growing, 'r')).toEqual({ n: 1, m: 'x' });
  expect(growing.text).toBe('');
  expect(draftOf(foldChatEvent(growing, part('y', 99)), 'r')).toEqual({ n: 1, m: 'x' });
  expect(draftOf(foldChatEvent(growing, { type: 'preview_reset' }), 'r')).toBeUndefined();
});

it('completes a receipt and its submission, if the stream sends the value once', () => {
  const receipt: Receipt = {
    request_id: 'r',
    status: 'succeeded',
    schema_hash: 'x',
    attempts: [],
    value_text: '1.0',
  };
  const call = {
    type: 'tool_call',
    tool_call_id: 'c',
    tool_name: 'submit_structured_output',
    args: '',
  } as const;
  const result = {
    type: 'tool_result',
    tool_call_id: 'c',
    tool_name: 'submit_structured_output',
    result: null,
    is_error: false,
    attempt: { code: 'ok', mode: 'tool' },
  } as const;
  const { messages, receipts } = fold(
    { type: 'message', message: { ...row(1, 'assistant'), content: [call] } },
    { type: 'message', message: { ...row(2, 'tool'), content: [result] } },
    { type: 'receipt', receipt },
  );
  expect(receipts['r']?.value).toBe(1);
  expect(messages[0]?.content).toEqual([{ ...call, args: '{"output":1.0}' }]);
});

it('shows a repeated call of the model until the model answers', () => {
  const error = { message: 'The model is busy.', kind: 'rate_limit', is_retryable: true } as const;
  const retry: ChatStreamEvent = {
    type: 'retry',
    attempt: 1,
    delay_ms: 5,
    retry_at: '2026-01-01T00:00:01Z',
    error,
  };
  expect(fold(retry).retry).toEqual(retry);
  expect(fold(retry, said('He')).retry).toBeUndefined();
});
