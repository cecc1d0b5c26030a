/** Notice of a chat: the error that ended its turn. */
import type { ReactNode } from 'react';
import type { ChatState } from '../live/chat-state.ts';

/** Renders the error, if there is one. */
export function ChatNotices({ state: { error } }: { readonly state: ChatState }): ReactNode {
  return (
    <div role="status" className="mt-4 empty:hidden">
      {error !== undefined && (
        <p className="rounded-md border border-bad bg-bad-soft px-4 py-3 text-bad">{error.message}</p>
      )}
    </div>
  );
}
