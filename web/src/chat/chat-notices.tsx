/** Notices of a chat: an error, a retry, calls that a client must run, and queued messages. */
import type { ReactNode } from 'react';
import type { ChatState } from '../live/chat-state.ts';
import { duration } from '../parts/format.ts';
import { textOf } from './turns.ts';

/** Renders the notices that apply. */
export function ChatNotices({ state }: { readonly state: ChatState }): ReactNode {
  const { error, retry, action, queue, status } = state;
  return (
    <div role="status" className="mt-4 space-y-3 empty:hidden">
      {error !== undefined && (
        <p className="rounded-md border border-bad bg-bad-soft px-4 py-3 text-bad">{error.message}</p>
      )}
      {retry !== undefined && status === 'running' && (
        <p className="rounded-md border border-warn bg-warn-soft px-4 py-3 text-warn">
          {retry.error.message} Retrying after {duration(retry.delay_ms)}.
        </p>
      )}
      {action !== undefined && status === 'requires_action' && (
        <div className="rounded-md border border-warn bg-warn-soft px-4 py-3">
          <p className="font-medium text-warn">The chat waits for a client to run these tools:</p>
          <ul className="mt-1 space-y-1">
            {action.tool_calls.map(({ tool_call_id: id, tool_name: name, args }) => (
              <li key={id}>
                <code className="break-words">
                  {name} {args}
                </code>
              </li>
            ))}
          </ul>
        </div>
      )}
      {queue.map((message) => (
        <p
          key={message.id}
          className="truncate rounded-md border border-dashed border-line px-4 py-2 text-muted"
        >
          Queued: {textOf(message)}
        </p>
      ))}
    </div>
  );
}
