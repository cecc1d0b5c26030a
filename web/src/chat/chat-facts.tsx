/** Facts beside the title of a chat: its state, and its model. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { clockTime } from '../parts/format.ts';
import { ModelName } from '../parts/model-name.tsx';
import { ChatStatusWord, RequestStatusWord } from '../parts/status-word.tsx';
import type { ChatStatus, Receipt } from '@truecast/client';
import { useLostAt } from '../session/connection.ts';
import { useClient } from '../session/use-client.ts';

interface FactsProps {
  readonly chatId: string;
  readonly status: ChatStatus;
  /** State of the answer that the page shows. */
  readonly outcome: Receipt['status'] | undefined;
}

/** Renders the facts. The model is absent until it is read. */
export function ChatFactList({ chatId, status, outcome }: FactsProps): ReactNode {
  const client = useClient();
  const chat = useQuery({
    queryKey: ['chat', chatId],
    queryFn: ({ signal }) => client.chat({ id: chatId }).read({ signal }),
  });
  return (
    // One group: a long title does not separate the state from the model.
    <span className="flex min-w-0 items-center gap-x-2.5">
      <LiveWord status={status} outcome={outcome} />
      {chat.data !== undefined && (
        <span className="min-w-0 text-xs text-muted">
          <ModelName id={chat.data.model} />
        </span>
      )}
    </span>
  );
}

/**
 * Renders the state of a busy chat. While the connection is lost, it shows the time of the last
 * known state.
 */
function LiveWord({ status, outcome }: Omit<FactsProps, 'chatId'>): ReactNode {
  const lostAt = useLostAt();
  if (lostAt !== undefined) {
    return <span className="text-sm text-warn">as of {clockTime(new Date(lostAt).toISOString())}</span>;
  }
  if (status !== 'waiting') return <ChatStatusWord isBadge status={status} />;
  return outcome === undefined ? null : <RequestStatusWord isBadge status={outcome} />;
}
