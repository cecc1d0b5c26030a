/** Link to the chat of a subagent, with its current state. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import type { MessagePart } from '@truecast/client';
import { ChatStatusWord } from '../../parts/status-word.tsx';
import { useSession } from '../../session/session.tsx';

/** Tool that starts a subagent. */
const SPAWN = 'spawn_agent';

/** Returns the chat that a call started. Undefined for other calls, and for one without a result. */
export function subagentOf(result: MessagePart | undefined): string | undefined {
  if (result?.type !== 'tool_result' || result.tool_name !== SPAWN || !isRecord(result.result))
    return undefined;
  const { chat_id: id } = result.result;
  return typeof id === 'string' ? id : undefined;
}

/** Renders the link. The owner's stream reports each start and end of a turn. */
export function SubagentLink({ chatId }: { readonly chatId: string }): ReactNode {
  const { client } = useSession();
  const chat = useQuery({
    queryKey: ['chats', 'one', chatId],
    queryFn: ({ signal }) => client.chat({ id: chatId }).read({ signal }),
  });
  return (
    <div className="flex items-center gap-3 rounded-md border border-line px-4 py-2">
      <span className="text-sm text-muted">Subagent</span>
      <Link href={`/chats/${chatId}`} className="min-w-0 flex-1 truncate text-accent underline">
        {chat.data?.title || chatId}
      </Link>
      {chat.data !== undefined && <ChatStatusWord status={chat.data.status} />}
      {chat.error !== null && <span className="text-sm text-bad">Chat not found.</span>}
    </div>
  );
}
