import { describe, expect, it } from 'vitest';
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
