/** Queued messages of a chat: each can run at once or be removed. */
import type { ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { QueuedView } from '@truecast/client';
import { ProblemBox } from '../parts/page.tsx';
import { useClient } from '../session/use-client.ts';
import { turnText } from './transcript/turns.ts';

interface QueueProps {
  readonly chatId: string;
  readonly queue: readonly QueuedView[];
}

/** Renders the queue in order. */
export function MessageQueue({ chatId, queue }: QueueProps): ReactNode {
  const client = useClient();
  const chat = client.chat({ id: chatId });
  const promote = useMutation({ mutationFn: (id: number) => chat.promoteQueued(id) });
  const remove = useMutation({ mutationFn: (id: number) => chat.deleteQueued(id) });
  const error = promote.error ?? remove.error;
  const isBusy = promote.isPending || remove.isPending;
  if (queue.length === 0 && error === null) return null;
  return (
    <section aria-label="Queue" className="mt-4 space-y-2">
      <ol className="divide-y divide-line rounded-md border border-dashed border-line empty:hidden">
        {queue.map((message) => {
          const text = turnText(message) || 'A file';
          return (
            <li key={message.id} className="flex items-center gap-2 py-1 pr-1.5 pl-4">
              <span className="min-w-0 flex-1 truncate text-muted" title={text}>
                Queued: {text}
              </span>
              <button
                className="button button-quiet px-2 text-sm"
                title="Stops the current turn, and runs this message"
                aria-label={`Run now: ${text}`}
                disabled={isBusy}
                onClick={() => promote.mutate(message.id)}
              >
                <span aria-hidden="true">↑</span> Run now
              </button>
              <button
                className="button button-quiet px-2 text-sm"
                aria-label={`Remove: ${text}`}
                disabled={isBusy}
                onClick={() => remove.mutate(message.id)}
              >
                <span aria-hidden="true">×</span>
              </button>
            </li>
          );
        })}
      </ol>
      {error !== null && <ProblemBox error={error} />}
    </section>
  );
}
