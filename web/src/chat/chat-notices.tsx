/** Notices of a chat: an error, or a retry. */
import type { ReactNode } from 'react';
import type { ChatState } from '../live/chat-state.ts';
import { duration } from '../parts/format.ts';

/** Renders the notices that apply. */
export function ChatNotices({ state }: { readonly state: ChatState }): ReactNode {
  const { error, retry, status } = state;
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
    </div>
  );
}
