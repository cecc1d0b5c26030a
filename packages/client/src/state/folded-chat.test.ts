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

it('has the status of the chat, and what belongs to it', () => {
  const call = { tool_call_id: 'c', tool_name: 'look', args: '{}' };
  const action = { type: 'action_required', tool_calls: [call] } as const;
  const error = { message: 'No model.', kind: 'other', is_retryable: false } as const;
  const retry = { type: 'retry', attempt: 1, delay_ms: 5, retry_at: '2026-01-01T00:00:01Z', error } as const;
  const paused = fold(action, retry, { type: 'status', status: 'requires_action', version: 2 });
  expect(paused).toMatchObject({ status: 'requires_action', action, toolCalls: [call] });
  expect(paused).not.toHaveProperty('retry');
  const running = foldChatEvent(paused, { type: 'status', status: 'running', version: 3 });
  expect(running).toEqual({ ...EMPTY_CHAT, status: 'running' });
  expect(fold(retry, { type: 'status', status: 'running', version: 1 }).retry).toEqual(retry);
  expect(fold(retry, { type: 'status', status: 'waiting', version: 1 })).not.toHaveProperty('retry');
  const failed = fold({ type: 'status', status: 'error', version: 1, error });
  expect(failed.chatError).toEqual(error);
  expect(foldChatEvent(failed, { type: 'status', status: 'running', version: 2 })).not.toHaveProperty(
    'chatError',
  );
});

it('keeps the growing text until the chat waits', () => {
  expect(fold(said('He'), { type: 'status', status: 'running', version: 1 }).text).toBe('He');
  const waiting = fold(said('He'), { type: 'status', status: 'waiting', version: 1 });
  expect([waiting.text, waiting.preview]).toEqual(['', []]);
  const reset = fold(said('He'), { type: 'history_reset', deleted_message_ids: [] });
  expect([reset.text, reset.preview]).toEqual(['', []]);
});

it('shows each part that grows, and a call from its name', () => {
  const { preview, text } = fold(
    { type: 'part', kind: 'reasoning', delta: 'Hm' },
    said('He'),
    said('y'),
    { type: 'part', kind: 'tool_call', delta: '', tool_name: 'a' },
    { type: 'part', kind: 'tool_call', delta: '{}' },
    { type: 'part', kind: 'tool_call', delta: '', tool_name: 'b' },
  );
  expect(preview).toEqual([
    { kind: 'reasoning', text: 'Hm' },
    { kind: 'text', text: 'Hey' },
    { kind: 'tool_call', text: '{}', toolName: 'a' },
    { kind: 'tool_call', text: '', toolName: 'b' },
  ]);
  expect(text).toBe('Hey');
});

it('has the queue, and removes the drafts of a step that is discarded', () => {
  const queued = [{ id: 7 }] as never;
  expect(fold({ type: 'queue_update', version: 1, queued_messages: queued }).queue).toBe(queued);
  const partial = { type: 'partial', request_id: 'r', value: 1, is_validated: false } as const;
  expect(draftOf(fold(partial), 'r')).toBe(1);
  expect(draftOf(fold(partial), 'other')).toBeUndefined();
  expect(fold(partial, { type: 'preview_reset' }).drafts).toEqual({});
});

it('reads an answer in a call without its envelope, and an earlier draft until it begins', () => {
  const inCall = (delta: string, offset: number): ChatStreamEvent => ({
    type: 'part',
    kind: 'tool_call',
    delta,
    request_id: 'r',
    offset,
  });
  expect(draftOf(fold(inCall('{"output":{"n":1', 0)), 'r')).toEqual({});
  expect(draftOf(fold(inCall('{"output":{"n":1,', 0)), 'r')).toEqual({ n: 1 });
  const early = { type: 'partial', request_id: 'r', value: { n: 0 }, is_validated: false } as const;
  expect(draftOf(fold(early, inCall('{"out', 0)), 'r')).toEqual({ n: 0 });
  expect(draftOf(fold(inCall('{"output":[1,', 0), inCall('{"output":[2,', 0)), 'r')).toEqual([2]);
});

it('leaves the rows as they are without an accepted submission', () => {
  const receipt: Receipt = {
    request_id: 'r',
    status: 'succeeded',
    schema_hash: 'x',
    attempts: [],
    value_text: '{',
  };
  const call = { type: 'tool_call', tool_call_id: 'c', tool_name: 'submit', args: 'x' } as const;
  const rows: ChatStreamEvent[] = [
    { type: 'message', message: { ...row(1, 'assistant'), content: [call] } },
    { type: 'message', message: row(2, 'tool') },
  ];
  const folded = fold(...rows, { type: 'receipt', receipt });
  expect(folded.messages[0]?.content).toEqual([call]);
  expect(folded.receipts['r']).toEqual(receipt);
  expect(fold(...rows, { type: 'receipt', receipt: { ...receipt, value: 1 } }).receipts['r']?.value).toBe(1);
});
