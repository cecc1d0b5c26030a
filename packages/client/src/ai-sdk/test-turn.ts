/** Turns for tests: rows and events of a chat, and the chunks that they become. */
import type { MessagePart } from '../wire/message-parts.ts';
import type { MessageView } from '../wire/message.ts';
import type { ChatStreamEvent } from '../wire/stream-event.ts';
import { TurnChunks, type FollowedTurn } from './turn-chunks.ts';
import type { TruecastChunk } from './ui-message.ts';

export const turnRow = (
  id: number,
  role: MessageView['role'],
  content: readonly MessagePart[],
  more: Partial<MessageView> = {},
): MessageView => ({
  id,
  chat_id: 'chat',
  role,
  content,
  is_compressed: false,
  created_at: '2026-01-01T00:00:00Z',
  ...more,
});
export const saidEvent = (id: number, more: Partial<MessageView> = {}): ChatStreamEvent => ({
  type: 'message',
  message: turnRow(id, 'assistant', [{ type: 'text', text: 'Hi' }], more),
});
export const askedEvent = (id: number, more: Partial<MessageView> = {}): ChatStreamEvent => ({
  type: 'message',
  message: turnRow(id, 'user', [], more),
});
export const statusEvent = (name: string, more: object = {}): ChatStreamEvent =>
  ({ type: 'status', status: name, version: 1, ...more }) as ChatStreamEvent;

export interface Played {
  readonly chunks: readonly TruecastChunk[];
  readonly isEnded: boolean;
}

export function playTurn(events: readonly ChatStreamEvent[], start: Partial<FollowedTurn> = {}): Played {
  const turn = new TurnChunks({
    chatId: 'chat',
    message: { type: 'row', id: 3 },
    clientTools: new Set(['look']),
    ...start,
  });
  const chunks = events.flatMap((event, index) => turn.push({ event, id: `e${index}` }));
  return { chunks, isEnded: turn.isEnded };
}

export const START = { type: 'start', messageId: 'answer-3', messageMetadata: { chatId: 'chat' } };
export const finishOf = (finishReason: string): object => ({
  type: 'finish',
  finishReason,
  messageMetadata: { awaiting: [] },
});
export const stepOf = (id: string, text = 'Hi'): object[] => [
  { type: 'start-step' },
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: text },
  { type: 'text-end', id },
  { type: 'finish-step' },
];
