/** Notice of a chat: the error that ended its turn. */
import type { ReactNode } from 'react';
import type { FoldedChat } from '@truecast/client/internal/state/folded-chat';
import { CodeText } from '../parts/code/code-text.tsx';

/** Renders the error, if there is one that the transcript does not already end with. */
export function ChatNotices({
  state: { chatError: error, messages },
}: {
  readonly state: FoldedChat;
}): ReactNode {
  const end = messages.at(-1)?.content.find((part) => part.type === 'outcome');
  const isShown = error !== undefined && end?.error?.message === error.message;
  return (
    <div role="status" className="mt-4 empty:hidden">
      {error !== undefined && !isShown && (
        <p className="rounded-md border border-bad bg-bad-soft px-4 py-3 text-bad">
          <CodeText text={error.message} />
        </p>
      )}
    </div>
  );
}
